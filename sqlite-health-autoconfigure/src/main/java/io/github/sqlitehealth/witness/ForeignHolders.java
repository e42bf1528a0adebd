package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.HeldFile;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.Holders;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who else holds files of the databases. Children that the application has started are others, too: they have locks and
 * books of their own. Whoever is named was seen twice, so that neither a fork of this process on its way to another program nor a
 * connection that is just being closed counts.
 */
public final class ForeignHolders {

    private static final int MOST_NAMED = 5;

    private final Holders holders;
    private final Duration limit;

    /** @param limit how long one scan may take */
    public ForeignHolders(Holders holders, Duration limit) {
        this.holders = holders;
        this.limit = limit;
    }

    /** By database file; empty where the system does not tell. */
    public Map<Path, List<Holder>> ask(Collection<Path> files) throws InterruptedException {
        try {
            Map<Path, List<Holder>> first = holders.foreign(files, limit);
            if (first.isEmpty()) {
                return first;
            }
            Thread.sleep(IdentityWitness.APART_MILLIS);
            return both(first, holders.foreign(first.keySet(), limit));
        } catch (InterruptedIOException ex) {
            throw new InterruptedException();
        } catch (IOException ex) {
            return Map.of();
        }
    }

    static Map<Path, List<Holder>> both(Map<Path, List<Holder>> first, Map<Path, List<Holder>> second) {
        Map<Path, List<Holder>> both = new HashMap<>();
        second.forEach((file, holders) -> both.put(
                file,
                holders.stream()
                        .map(holder -> confirmed(holder, first.getOrDefault(file, List.of())))
                        .filter(holder -> !holder.descriptors().isEmpty())
                        .toList()));
        return both;
    }

    private static Holder confirmed(Holder now, List<Holder> before) {
        List<HeldFile> held = now.descriptors().stream()
                .filter(file -> before.stream()
                        .filter(holder -> holder.pid() == now.pid())
                        .flatMap(holder -> holder.descriptors().stream())
                        .anyMatch(file::same))
                .toList();
        return new Holder(now.pid(), now.command(), now.user(), now.started(), now.self(), held);
    }

    /** The fact of {@code foreign-stale-holder}; null when there is none. */
    public static @Nullable String stale(List<Holder> foreign) {
        List<Holder> stale = with(foreign, HeldFile::stale);
        return stale.isEmpty()
                ? null
                : named(stale, HeldFile::stale)
                        + ", though the files at the paths are others by now: it will corrupt the database when it writes"
                        + " or closes";
    }

    /** The fact of {@code foreign-holder}. */
    static @Nullable String ordinary(List<Holder> foreign) {
        List<Holder> ordinary = with(foreign, file -> !file.stale());
        return ordinary.isEmpty()
                ? null
                : named(ordinary, file -> !file.stale())
                        + ", besides this process, which is right only if it uses SQLite";
    }

    /** Who they are and what they hold; null when there is nobody. */
    public static @Nullable String describe(List<Holder> foreign) {
        return foreign.isEmpty() ? null : named(foreign, file -> true);
    }

    private static List<Holder> with(List<Holder> foreign, Predicate<HeldFile> which) {
        return foreign.stream()
                .filter(holder -> holder.descriptors().stream().anyMatch(which))
                .toList();
    }

    private static String named(List<Holder> holders, Predicate<HeldFile> which) {
        String named = holders.stream()
                .limit(MOST_NAMED)
                .map(holder -> named(holder, which))
                .collect(Collectors.joining("; "));
        int more = holders.size() - MOST_NAMED;
        return more <= 0 ? named : named + "; and " + more + " more hold files of it";
    }

    private static String named(Holder holder, Predicate<HeldFile> which) {
        String files = holder.descriptors().stream()
                .filter(which)
                .map(file -> file.stale() ? file.file() + " inode " + Long.toUnsignedString(file.inode()) : file.file())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return "process " + holder.pid() + " (" + holder.command() + ") holds " + files;
    }
}
