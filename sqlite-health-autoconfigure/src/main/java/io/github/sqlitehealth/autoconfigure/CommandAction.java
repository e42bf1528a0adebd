package io.github.sqlitehealth.autoconfigure;

import java.util.List;

/** What the command line can do, and with which options. */
enum CommandAction {
    CHECK(
            "whether the database is sound: a full check; changes nothing",
            List.of("database"),
            List.of("forensics", "json")),
    STATUS(
            "what is known of it, its backups, its archives and who holds it; does not open it",
            List.of("database"),
            List.of("backups", "name", "forensics", "json")),
    BACKUP(
            "takes a verified backup now, also while the application runs",
            List.of("database"),
            List.of("backups", "name", "forensics", "json")),
    RESTORE(
            "puts a verified copy in its place, if it is damaged, emptied or missing",
            List.of("database", "from"),
            List.of("backups", "name", "forensics", "force", "dry-run", "json")),
    START_FRESH(
            "moves it aside, if it is damaged or emptied, so that the application creates a new one",
            List.of("database"),
            List.of("forensics", "force", "dry-run", "json")),
    RESCUE(
            "copies a database out of a process that still runs, whatever has become of its files (Linux)",
            List.of("pid", "to"),
            List.of("database", "force", "dry-run", "json"));

    /** Those without a value. */
    static final List<String> FLAGS = List.of("force", "dry-run", "json", "help");

    private final String does;
    private final List<String> needed;
    private final List<String> allowed;

    CommandAction(String does, List<String> needed, List<String> allowed) {
        this.does = does;
        this.needed = needed;
        this.allowed = allowed;
    }

    /** As it is typed. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    String does() {
        return does;
    }

    List<String> needed() {
        return needed;
    }

    List<String> allowed() {
        return allowed;
    }

    static String usage() {
        StringBuilder usage = new StringBuilder("Usage: <command> --option=value ...\n\n");
        for (CommandAction action : values()) {
            usage.append(String.format("  %-12s %s%n", action.word(), action.does));
            usage.append(String.format("  %-12s", ""));
            action.needed.forEach(option -> usage.append(" ").append(typed(option)));
            action.allowed.forEach(
                    option -> usage.append(" [").append(typed(option)).append("]"));
            usage.append('\n');
        }
        return usage.append("""

                          --database   the main file; for rescue as the process knows it, needed if it has several open
                          --from       the copy to restore, which must exist, or latest for the newest verified backup
                          --backups    directory of the backups; <database>-backups if it is not given
                          --name       name of the database in the names of its backups, that of its DataSource bean;
                                       if it is not given, that of the backups there are, or else dataSource
                          --forensics  directory of its evidence; <database>-forensics if it is not given
                          --pid, --to  the process, and the file that shall hold the copy
                          --force      restore, start-fresh: even if the database is sound
                                       rescue: even if the process cannot be stopped for the moment
                          --dry-run    only say what would be done
                          --json       answer in JSON

                        Exit codes: 0 sound, or done, or nothing to do; 1 not sound, or refused, or undone;
                        2 the command line is wrong; 3 the database could not be asked.
                        """).toString();
    }

    private static String typed(String option) {
        return "--" + option + (FLAGS.contains(option) ? "" : "=...");
    }
}
