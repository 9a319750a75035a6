package io.tidemark.broker.net;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the frames of all clients of a process may take together. Without it many clients with large requests at once use
 * up the direct memory, and then reading and writing of files fails too. Thread-safe.
 */
final class FrameBudget {
    /** For peers: they are few, and their frames have bounds of their own. */
    static final FrameBudget UNLIMITED = new FrameBudget(Long.MAX_VALUE);

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    FrameBudget(long limitBytes) {
        limit = limitBytes;
    }

    /** Throws IllegalStateException if that would exceed the limit. */
    void reserve(int bytes) {
        if (limit != Long.MAX_VALUE && used.addAndGet(bytes) > limit) {
            used.addAndGet(-bytes);
            throw new IllegalStateException(
                    "the requests of all clients together would take more than " + limit + " bytes");
        }
    }

    void release(int bytes) {
        if (limit != Long.MAX_VALUE) {
            used.addAndGet(-bytes);
        }
    }

    /** Bytes reserved now. */
    long used() {
        return used.get();
    }
}
