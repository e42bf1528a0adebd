/**
 * What the system says of files, descriptors, locks, mounts and processes: the only room that reads {@code /proc} or runs
 * a program. Nothing here ever opens a file of a database, because closing it would drop the locks of this process; all
 * is told by {@code stat}, {@code readlink} and {@code /proc}.
 */
@NullMarked
package io.github.sqlitehealth.os;

import org.jspecify.annotations.NullMarked;
