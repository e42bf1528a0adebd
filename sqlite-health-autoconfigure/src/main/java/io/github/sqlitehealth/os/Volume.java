package io.github.sqlitehealth.os;

/**
 * The file system that a file lies on.
 *
 * @param type such as {@code ext4}, {@code overlay} or {@code nfs4}
 * @param mountPoint where it is mounted; empty when the system does not tell
 * @param freeBytes what this process may still write
 * @param totalBytes its size
 */
public record Volume(String type, String mountPoint, long freeBytes, long totalBytes) {}
