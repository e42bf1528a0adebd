package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.DatabaseStats;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Are the files that we hold open the files at the paths? Two looks, {@value #APART_MILLIS} ms apart, must agree before
 * it says no. Used by one thread at a time; never asks SQL.
 */
public final class IdentityWitness {

    /** How far apart the two looks are. */
    public static final long APART_MILLIS = 50;

    /**
     * Descriptors are read when a stat differs from the last verified one, and this often to be sure: for all databases in
     * the same look, which share a list of them.
     */
    private static final long REASSURANCE = Duration.ofMinutes(1).toNanos();

    private static final Map<DatabaseFile, Long> NO_CHANGES =
            Map.of(DatabaseFile.MAIN, 0L, DatabaseFile.WAL, 0L, DatabaseFile.SHM, 0L);

    private final Path main;
    private final HeldFiles heldFiles;
    private final Anchor anchor;
    private final Timepiece time;
    private final DatabaseStats paths;
    private final ShmSize shmSize = new ShmSize();

    /** What each file was seen to be when it was no more the file at its path. */
    private Map<DatabaseFile, Set<FileId>> changed = Map.of();

    private Map<DatabaseFile, Long> changes = counts(changed);
    private Map<DatabaseFile, FileFacts> verified = Map.of();
    private long verifiedGeneration = -1;
    private long verifiedIn;
    private Look last = new Look(Map.of(), List.of(), true, null);
    private boolean seen;

    /**
     * @param heldFiles how this system tells what is held
     * @param seenBefore whether an earlier process saw the main file, so that its absence is news
     */
    public IdentityWitness(Path main, HeldFiles heldFiles, Anchor anchor, boolean seenBefore, Timepiece time) {
        this.main = main;
        this.heldFiles = heldFiles;
        this.anchor = anchor;
        this.seen = seenBefore;
        this.time = time;
        this.paths = new DatabaseStats(main);
    }

    /**
     * What is at the paths.
     *
     * @param generation of the anchor when that was asked
     * @param nanoTime when that was asked
     */
    public record Stats(Map<DatabaseFile, FileFacts> files, long generation, long nanoTime) {}

    /**
     * The first half of a look: asks what is at the paths.
     *
     * @throws IOException when the files cannot even be asked for
     */
    public Stats stat() throws IOException {
        long generation = anchor.generation();
        Map<DatabaseFile, FileFacts> files = paths.look();
        return new Stats(files, generation, System.nanoTime());
    }

    /**
     * The same, for one look among very many: the files are asked as far as the directory says that they can have changed.
     *
     * @param change of the directory, asked before; {@code null} when it could not be told
     * @throws IOException when the files cannot even be asked for
     */
    public Stats stat(@Nullable FileTime change) throws IOException {
        long generation = anchor.generation();
        Map<DatabaseFile, FileFacts> files = paths.look(change);
        return new Stats(files, generation, System.nanoTime());
    }

    /** Looks once. */
    public Look look() throws IOException {
        return look(stat());
    }

    /**
     * The second half of a look: compares what is at the paths with what is held.
     *
     * @throws IOException when what is held cannot be told
     */
    public Look look(Stats stats) throws IOException {
        Map<DatabaseFile, FileFacts> files = stats.files();
        long generation = stats.generation();
        // What was stale has to be seen gone: the names may be back while something else is held.
        if (last.stale().isEmpty() && isVerified(files, generation) && period() == verifiedIn) {
            Look same = shmSize.watch(
                    files.equals(last.files()) ? last : new Look(files, List.of(), last.held(), last.unseen()),
                    generation);
            if (!same.suspicious()) {
                return same;
            }
        }
        Look look = shmSize.watch(heldFiles.compare(main, stats, last.stale()), generation);
        if (!look.suspicious()) {
            verified = files;
            verifiedGeneration = generation;
            verifiedIn = period();
        }
        return look;
    }

    /** Whether a look would find what the last one found, without asking what is held. */
    public boolean isAsBefore(Stats stats) {
        return stats.files() == last.files()
                && !last.suspicious()
                && isVerified(stats.files(), stats.generation())
                && period() == verifiedIn;
    }

    private long period() {
        return Math.floorDiv(time.ticker().getAsLong(), REASSURANCE);
    }

    private boolean isVerified(Map<DatabaseFile, FileFacts> files, long generation) {
        if (verified.isEmpty() || generation != verifiedGeneration) {
            return false;
        }
        if (files.equals(verified)) {
            return true;
        }
        return files.keySet().equals(verified.keySet()) && isGrown(files);
    }

    private boolean isGrown(Map<DatabaseFile, FileFacts> files) {
        return files.entrySet().stream().allMatch(entry -> {
            FileFacts now = entry.getValue();
            FileFacts before = verified.get(entry.getKey());
            return before != null && now.id() != null && now.id().equals(before.id()) && now.size() >= before.size();
        });
    }

    /** Whether something else is at a path than what was last found to be held, and the anchor has been open all the while. */
    public boolean isSwapped(DatabaseFile file) throws IOException {
        FileFacts was = verified.get(file);
        if (was == null || was.id() == null || verifiedGeneration < 0 || verifiedGeneration != anchor.generation()) {
            return false;
        }
        FileFacts now = FileFacts.of(file.beside(main));
        return now == null || !was.id().equals(now.id());
    }

    /** Whether a first look calls for a second one: something new is stale, or the main file seems to be gone. */
    public boolean needsSecondLook(Look look) {
        if (!look.suspicious()) {
            return look.missing() && seen;
        }
        boolean known =
                look.stale().stream().allMatch(stale -> last.stale().stream().anyMatch(stale::sameFile));
        return !known;
    }

    /** What follows from one look that needs no second one. */
    public Testimony say(Look look, Moment start) {
        return conclude(look, look.stale(), start);
    }

    /** What follows from two looks. */
    public Testimony say(Look first, Look second, Moment start) {
        return conclude(second, second.confirmed(first), start);
    }

    /** The look could not be made. */
    public Testimony failed(IOException failure, Moment start) {
        return testimony(Answer.UNASKED, Reason.IO_ERROR, failure.toString(), start);
    }

    private Testimony conclude(Look look, List<Stale> stale, Moment start) {
        last = look.stale().equals(stale) ? look : new Look(look.files(), stale, look.held(), look.unseen());
        count(stale);
        boolean present = look.files().containsKey(DatabaseFile.MAIN);
        if (!stale.isEmpty()) {
            return testimony(Answer.BAD, Reason.STALE_FILES, Look.describe(stale), start);
        }
        if (last.missing()) {
            return seen
                    ? testimony(Answer.BAD, Reason.NO_FILE, "there is no file at " + main, start)
                    : testimony(Answer.UNASKED, Reason.NOT_YET, "there is no file yet at " + main, start);
        }
        seen |= present;
        if (look.unseen() != null) {
            return testimony(Answer.UNASKED, Reason.NOT_SUPPORTED, look.unseen(), start);
        }
        return testimony(
                Answer.OK,
                Reason.NONE,
                look.held() ? "the files held are the files at the paths" : "nothing is held",
                start);
    }

    private Testimony testimony(Answer says, Reason reason, String text, Moment start) {
        Moment end = time.now();
        return new Testimony(Witness.IDENTITY, Check.IDENTITY, says, reason, text, end, end.since(start));
    }

    /** The last look, with what was confirmed to be stale. */
    public Look last() {
        return last;
    }

    /** How often each file was seen to change while this process held it. */
    public Map<DatabaseFile, Long> changes() {
        return changes;
    }

    private void count(List<Stale> stale) {
        if (!stale.isEmpty()) {
            Map<DatabaseFile, Set<FileId>> all = new EnumMap<>(DatabaseFile.class);
            all.putAll(changed);
            stale.forEach(each ->
                    all.computeIfAbsent(each.file(), any -> new HashSet<>()).add(each.held()));
            changed = all;
            changes = counts(all);
        }
    }

    private static Map<DatabaseFile, Long> counts(Map<DatabaseFile, Set<FileId>> changed) {
        Map<DatabaseFile, Long> counts = new EnumMap<>(DatabaseFile.class);
        for (DatabaseFile file : DatabaseFile.values()) {
            counts.put(file, (long) changed.getOrDefault(file, Set.of()).size());
        }
        return counts.equals(NO_CHANGES) ? NO_CHANGES : Map.copyOf(counts);
    }
}
