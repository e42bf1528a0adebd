/** How the state of the databases is shown: the health indicator, the meters, the endpoint and the event. */
@NullMarked
package io.github.sqlitehealth.actuate;

import org.jspecify.annotations.NullMarked;
