package io.github.sqlitehealth.monitor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What a thread has worked, without what it waited for a busy machine. */
final class WorkingTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final boolean TOLD = THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();

    private WorkingTime() {}

    /** In nanoseconds, of the calling thread; 0 where the system does not tell. */
    static long nanos() {
        return TOLD ? THREADS.getCurrentThreadCpuTime() : 0;
    }
}
