/**
 * The words of the problem and the table that connects them: what witnesses say, what follows from it, and how long it
 * holds. Everything here is a pure function of its arguments: no file, no clock, no framework.
 */
@NullMarked
package io.github.sqlitehealth.diagnosis;

import org.jspecify.annotations.NullMarked;
