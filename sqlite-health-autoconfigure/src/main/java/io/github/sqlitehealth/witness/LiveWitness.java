package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the application's own connections, one at a time, each idle one in its turn: a connection that is wrong about a
 * healthy file is found only by asking that connection. Not thread-safe: only the check thread asks.
 */
public final class LiveWitness {

    /** A pool that holds no connection has none that could be wrong. */
    private static final Reading NONE_OPEN =
            Reading.unasked(Reason.NOT_YET, "the application has no connection open, so there is none to ask");

    private final List<LiveHandles> owners;
    private final LiveRead read;
    private final Duration turns;
    private final Timepiece time;

    /** Connections that failed and have not passed since. */
    private Set<String> failing = Set.of();

    private Map<Path, Attachment> attached = Map.of();
    private boolean anyAsked;

    /**
     * A database that a connection has attached.
     *
     * @param schema the name under which the connection knows it
     * @param owner gives such connections
     */
    public record Attachment(String schema, LiveHandles owner) {

        /** The application's connections to it. */
        public LiveHandles handles(Path file) {
            return new AttachedHandles(owner, file);
        }
    }

    /**
     * @param owners one for each {@code DataSource} of the database
     * @param limits how long connections may be borrowed
     */
    public LiveWitness(List<LiveHandles> owners, ReadLimits limits, Timepiece time) {
        this.owners = owners;
        this.read = new LiveRead(limits, time);
        this.turns = limits.turns();
        this.time = time;
    }

    /** Asks every connection that can be spared, until one fails or the time for it is used up. */
    public Said ask() {
        Moment start = time.now();
        LiveRound round = new LiveRound();
        attached = Map.of();
        anyAsked = false;
        forgetClosed();
        read.beginRound();
        for (LiveHandles owner : owners) {
            askAll(owner, round, start);
        }
        Moment end = time.now();
        Reading reading = round.result(failing);
        if (reading == LiveRound.NONE_TO_SPARE && owners.stream().noneMatch(LiveHandles::mayBeOpen)) {
            reading = NONE_OPEN;
        }
        return round.said(reading, start, end);
    }

    /**
     * What the connections that can be spared believe: the most dangerous of it. No page is asked for.
     *
     * @return absent when none can be spared
     */
    public Optional<HandleFacts> facts() {
        HandleFacts found = null;
        for (LiveHandles owner : owners) {
            Set<String> asked = new HashSet<>();
            HandleFacts theirs = factsOfNext(owner, asked);
            while (theirs != null) {
                found = found == null || theirs.unsafe() ? theirs : found;
                theirs = factsOfNext(owner, asked);
            }
        }
        return Optional.ofNullable(found);
    }

    private static @Nullable HandleFacts factsOfNext(LiveHandles owner, Set<String> asked) {
        try (LiveHandle handle = owner.take(asked)) {
            if (handle == null || !asked.add(handle.name())) {
                return null;
            }
            return HandleFacts.of(handle.connection(), handle.schema());
        } catch (SQLException ex) {
            // Whether that means something is for the next check to say.
            return null;
        }
    }

    /** What the connections that were asked last have attached, by file. */
    public Map<Path, Attachment> attached() {
        return attached;
    }

    /** Whether any connection could be asked at all. */
    public boolean anyAsked() {
        return anyAsked;
    }

    /** How long one read transaction may last, as the connection that was last asked can bear it. */
    public Duration bearable() {
        return read.bearable();
    }

    /** Lets the application have new connections. Never to be called while the process is stranded. */
    public boolean replaceAll() {
        boolean any = false;
        for (LiveHandles owner : owners) {
            any |= owner.replaceAll();
        }
        return any;
    }

    private void askAll(LiveHandles owner, LiveRound round, Moment start) {
        Set<String> asked = new HashSet<>();
        do {
            try (LiveHandle handle = owner.take(asked)) {
                if (handle == null) {
                    return;
                }
                asked.add(handle.name());
                LiveRead.Result result = read.of(handle);
                round.add(result);
                anyAsked = true;
                attach(result.attached(), owner);
                remember(handle.name(), result.reading());
                if (result.reading().bad()) {
                    return;
                }
            } catch (SQLException ex) {
                round.add(LiveRead.Result.failed(ex));
                return;
            }
        } while (time.now().since(start).compareTo(turns) < 0);
    }

    private void remember(String name, Reading reading) {
        if (reading.bad() || (reading.ok() && failing.contains(name))) {
            Set<String> now = new HashSet<>(failing);
            if (reading.bad()) {
                now.add(name);
            } else {
                now.remove(name);
            }
            failing = Set.copyOf(now);
        }
    }

    private void attach(Map<Path, String> schemas, LiveHandles owner) {
        if (!schemas.isEmpty()) {
            Map<Path, Attachment> all = new HashMap<>(attached);
            schemas.forEach((file, schema) -> all.put(file, new Attachment(schema, owner)));
            attached = Map.copyOf(all);
        }
    }

    private void forgetClosed() {
        if (failing.isEmpty()) {
            return;
        }
        Set<String> open = new HashSet<>();
        owners.forEach(owner -> open.addAll(owner.open()));
        open.retainAll(failing);
        failing = Set.copyOf(open);
    }
}
