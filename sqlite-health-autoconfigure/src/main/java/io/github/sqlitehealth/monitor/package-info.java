/**
 * Who asks when: the watch of the files, the schedule of the checks, the alarm, and the state that everybody else reads.
 */
@NullMarked
package io.github.sqlitehealth.monitor;

import org.jspecify.annotations.NullMarked;
