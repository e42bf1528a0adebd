package io.github.sqlitehealth.witness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the application says must be there.
 *
 * @param requiredTables tables that must exist; {@code table}, or {@code database.table} where it is about one of several
 * @param rowFloors least number of rows by table, named in the same way
 */
public record ContentRules(List<String> requiredTables, Map<String, Long> rowFloors) {

    /** Nothing in particular. */
    public static final ContentRules NONE = new ContentRules(List.of(), Map.of());

    public ContentRules {
        requiredTables = List.copyOf(requiredTables);
        rowFloors = Map.copyOf(rowFloors);
    }

    /** All rules, as they are said to people. */
    List<String> all() {
        List<String> all = new ArrayList<>();
        requiredTables.forEach(table -> all.add(Content.required(table)));
        rowFloors.forEach((table, rows) -> all.add(Content.floor(table, rows)));
        return all;
    }

    /** Those that a content breaks, as they are said to people. */
    public List<String> brokenBy(Content content) {
        List<String> broken = all();
        broken.removeAll(content.met());
        return broken;
    }

    /** The rules that are about one database, with plain table names. */
    public ContentRules of(String database) {
        Map<String, Long> floors = new HashMap<>();
        rowFloors.forEach((name, rows) -> plain(database, List.of(name)).forEach(table -> floors.put(table, rows)));
        return new ContentRules(plain(database, requiredTables), floors);
    }

    /** Those of some table names that are about one database, without its name. */
    public static List<String> plain(String database, List<String> names) {
        List<String> plain = new ArrayList<>();
        for (String name : names) {
            int dot = name.lastIndexOf('.');
            if (dot < 0) {
                plain.add(name);
            } else if (name.substring(0, dot).equals(database)) {
                plain.add(name.substring(dot + 1));
            }
        }
        return plain;
    }
}
