/**
 * Evidence that outlives the process: snapshots of one moment each, and what the next process has to know. Written
 * atomically, bounded, for the owner's eyes only.
 */
@NullMarked
package io.github.sqlitehealth.forensics;

import org.jspecify.annotations.NullMarked;
