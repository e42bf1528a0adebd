package io.github.sqlitehealth.os;

/**
 * What makes a file the same file, whatever it is called: two names with one id are one file. An id may be given to
 * another file once nobody holds the first one any more.
 *
 * @param device {@code st_dev} as the system encodes it
 * @param inode {@code st_ino}, unsigned
 */
public record FileId(long device, long inode) {}
