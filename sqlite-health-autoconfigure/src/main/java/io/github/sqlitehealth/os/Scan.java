package io.github.sqlitehealth.os;

import java.util.List;

/**
 * Who holds a database, as far as this process may see.
 *
 * @param holders by process number
 * @param complete whether all that there is to see was seen
 * @param note what could not be seen, in words; empty when complete
 */
public record Scan(List<Holder> holders, boolean complete, String note) {

    static Scan of(List<Holder> holders, List<String> unseen) {
        return new Scan(List.copyOf(holders), unseen.isEmpty(), String.join("; ", unseen));
    }
}
