/**
 * What keeps the data: copies that have been checked before anybody relies on them, and the way back from one. Nothing
 * here is taken for a copy of a database before a full check of the copy itself has passed.
 */
@NullMarked
package io.github.sqlitehealth.recovery;

import org.jspecify.annotations.NullMarked;
