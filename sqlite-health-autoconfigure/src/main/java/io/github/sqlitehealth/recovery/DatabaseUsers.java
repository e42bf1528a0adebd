package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.HeldFile;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.Scan;
import io.github.sqlitehealth.witness.ForeignHolders;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Who has a database open, as far as this process may see: files at the paths, and files without names that are still
 * being written.
 *
 * @param self whether this process has it open
 * @param others other processes that have
 * @param unseen what could not be seen, in words; empty when all was seen
 */
record DatabaseUsers(boolean self, List<Holder> others, String unseen) {

    static final DatabaseUsers NONE = new DatabaseUsers(false, List.of(), "");

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** @throws RestoreRefusedException when the thread is interrupted meanwhile */
    static DatabaseUsers of(Path main) throws RestoreRefusedException {
        Holders holders = new Holders();
        try {
            Scan scan = holders.find(main, Map.of(), LIMIT);
            Map<Long, Holder> others = new LinkedHashMap<>();
            boolean self = false;
            boolean stale = false;
            for (Holder holder : scan.holders()) {
                boolean fresh = holder.descriptors().stream().anyMatch(file -> !file.stale());
                self |= holder.self();
                stale |= !holder.self() && holder.descriptors().stream().anyMatch(HeldFile::stale);
                if (!holder.self() && fresh) {
                    others.put(holder.pid(), holder);
                }
            }
            if (stale) {
                // What others call by the path may be a file of their own container: this looks more closely.
                new ForeignHolders(holders, LIMIT)
                        .ask(List.of(main))
                        .getOrDefault(main, List.of())
                        .forEach(holder -> others.put(holder.pid(), holder));
            }
            return new DatabaseUsers(self, List.copyOf(others.values()), scan.note());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new RestoreRefusedException("interrupted while looking for those who use " + main);
        } catch (IOException ex) {
            return new DatabaseUsers(false, List.of(), ex.toString());
        }
    }

    /** Whether anybody is known to have it open. */
    boolean any() {
        return self || !others.isEmpty();
    }

    /** @throws RestoreRefusedException when anybody has it open */
    void refuse(Path main) throws RestoreRefusedException {
        if (self) {
            throw new RestoreRefusedException(
                    main + " is open in this process: a restore is done before the first connection is opened");
        }
        if (!others.isEmpty()) {
            throw new RestoreRefusedException(main + " is held by " + named() + ": end it, then try again");
        }
    }

    /** The others, for people. */
    String named() {
        return others.stream().map(DatabaseUsers::named).collect(Collectors.joining(", "));
    }

    /** Those who write into files that are not the ones at the paths, for people. */
    List<String> stranded() {
        return others.stream()
                .filter(holder -> holder.descriptors().stream().anyMatch(HeldFile::stale))
                .map(DatabaseUsers::named)
                .toList();
    }

    private static String named(Holder holder) {
        return "process " + holder.pid() + " (" + holder.command() + ")";
    }
}
