/** A message gateway on SQLite: an application to try the starter on, and to break. */
@NullMarked
package io.github.sqlitehealth.sample;

import org.jspecify.annotations.NullMarked;
