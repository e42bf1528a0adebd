/**
 * Those who answer one question each about a database: is the file we hold the file at the path, what does the live
 * connection say, what does a fresh one say, is what used to be there still there.
 */
@NullMarked
package io.github.sqlitehealth.witness;

import org.jspecify.annotations.NullMarked;
