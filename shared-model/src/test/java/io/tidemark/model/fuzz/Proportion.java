package io.tidemark.model.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Runs a parser on bytes from anywhere and fails if it allocates out of proportion to them. */
public final class Proportion {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** Loaded classes, first-time caches and exceptions with their traces. */
    private static final long AT_FIRST = 4 << 20;

    /** What may throw anything that its contract declares. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    private Proportion() {}

    /**
     * Runs the task on this thread. Throws AssertionError if it allocates more than {@code factor} bytes of heap per
     * byte of input and some MB for the first time.
     */
    public static void hold(long inputBytes, int factor, Task task) throws Exception {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            task.run();
        } finally {
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated > AT_FIRST + factor * inputBytes) {
                throw new AssertionError(inputBytes + " bytes of input made the parser allocate " + allocated);
            }
        }
    }
}
