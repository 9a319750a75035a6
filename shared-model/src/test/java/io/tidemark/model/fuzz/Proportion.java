package io.tidemark.model.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Runs a parser on bytes from anywhere and fails if it allocates out of proportion to them. */
public final class Proportion {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** Exceptions with their traces, buffers of a fixed size. */
    private static final long FIXED = 4 << 20;

    /** Loading of classes, and their instrumentation by the fuzzer, is charged to the thread that comes first. */
    private static final int ATTEMPTS = 5;

    /** What may throw anything that its contract declares; it is run again if it allocated too much. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    private Proportion() {}

    /**
     * Runs the task on this thread. Throws AssertionError if it allocates, however often it is run, more than
     * {@code factor} bytes of heap per byte of input and some MB.
     */
    public static void hold(long inputBytes, int factor, Task task) throws Exception {
        long allocated = 0;
        for (int i = 0; i < ATTEMPTS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            task.run();
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated <= FIXED + factor * inputBytes) {
                return;
            }
        }
        throw new AssertionError(inputBytes + " bytes of input made the parser allocate " + allocated);
    }
}
