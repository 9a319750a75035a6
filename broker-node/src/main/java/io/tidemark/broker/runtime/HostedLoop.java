package io.tidemark.broker.runtime;

import io.tidemark.model.MonoTime;

/**
 * Work that one thread at a time drives: a network event loop in production, a test or a simulation by hand. The host
 * calls {@link #runOnce} after it has read from its connections, after {@link Waker#wake()} and at the deadline; then it
 * flushes the connections that were written to.
 */
public interface HostedLoop {
    /** Does everything that is due at {@code now}; never blocks. */
    void runOnce(MonoTime now);

    /** When {@link #runOnce} must be called at the latest; null if nothing is waiting for time. */
    MonoTime nextDeadline();

    /** How other threads ask the host for a turn; wake-ups between two turns are one. */
    interface Waker {
        void wake();

        /** Whether the calling thread is the one that drives the loop, now. */
        boolean inLoop();
    }
}
