/** Properties, discovery and wiring: where the library meets Spring Boot. */
@NullMarked
package io.github.sqlitehealth.autoconfigure;

import org.jspecify.annotations.NullMarked;
