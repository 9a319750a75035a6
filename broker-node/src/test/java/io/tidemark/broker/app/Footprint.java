package io.tidemark.broker.app;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * What this process holds: heap that is in use after collections, direct memory, open files and sockets, threads.
 *
 * @param heap bytes
 * @param direct bytes
 */
record Footprint(long heap, long direct, long handles, int threads) {
    static Footprint now() {
        // What direct buffers and sockets hold is freed by cleaners, which run after a collection.
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return new Footprint(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                Math.max(direct, 0) + io.netty.util.internal.PlatformDependent.usedDirectMemory(),
                openHandles(),
                ManagementFactory.getThreadMXBean().getThreadCount());
    }

    static long openHandles() {
        return system().getOpenFileDescriptorCount();
    }

    static long maxHandles() {
        return system().getMaxFileDescriptorCount();
    }

    private static UnixOperatingSystemMXBean system() {
        return (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    /** In what this is larger than {@code before} by more than what comes and goes; empty if in nothing. */
    List<String> grownSince(Footprint before) {
        List<String> grown = new ArrayList<>();
        if (heap > before.heap + (16 << 20)) {
            grown.add("heap from " + before.heap + " to " + heap);
        }
        if (direct > before.direct + (16 << 20)) {
            grown.add("direct memory from " + before.direct + " to " + direct);
        }
        if (handles > before.handles + 20) {
            grown.add("handles from " + before.handles + " to " + handles);
        }
        if (threads > before.threads + 10) {
            grown.add("threads from " + before.threads + " to " + threads);
        }
        return grown;
    }
}
