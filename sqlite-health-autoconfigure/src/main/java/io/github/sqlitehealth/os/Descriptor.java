package io.github.sqlitehealth.os;

/**
 * One regular file that a process holds open.
 *
 * @param fd the number of the descriptor
 * @param id of the file that is open, which need not be the one that now has its name
 * @param size of that file, in bytes
 * @param link the name that the system gives for it; a text for people, no proof of anything
 */
public record Descriptor(int fd, FileId id, long size, String link) {

    private static final String DELETED = " (deleted)";

    boolean deleted() {
        return link.endsWith(DELETED);
    }

    /** The link without the system's remark. A file whose name really ends so cannot be told apart. */
    String name() {
        return deleted() ? link.substring(0, link.length() - DELETED.length()) : link;
    }
}
