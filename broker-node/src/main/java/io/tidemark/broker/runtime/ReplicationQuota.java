package io.tidemark.broker.runtime;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds the replication of throttled replicas to a rate (R4.23): one account for all loops of a broker. What is moved is
 * paid for by time; a second that nobody used is kept, no more, and what is moved in one piece may overdraw the account.
 */
public final class ReplicationQuota {
    /** No rate. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private static final long NANOS_PER_MS = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    /** Nobody waits longer before looking again: the rate may have changed. */
    private static final long LONGEST_WAIT_MS = 500;

    private static final double LONGEST_DEBT_NANOS = 3_600e9;

    private volatile long bytesPerSecond = UNLIMITED;
    /** Monotonic nanoseconds up to which what was moved is paid for. */
    private final AtomicLong paidUntil = new AtomicLong(Long.MIN_VALUE);

    /** @param bytesPerSecond zero or more; another one than before forgets debts */
    public void rate(long bytesPerSecond) {
        if (this.bytesPerSecond != bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
            paidUntil.set(Long.MIN_VALUE);
        }
    }

    /** Whether more may be moved now; milliseconds of the monotonic clock. */
    public boolean open(long nowMs) {
        return bytesPerSecond == UNLIMITED || bytesPerSecond > 0 && paidUntil.get() <= nowMs * NANOS_PER_MS;
    }

    /** When to ask again after a refusal: later than now, and soon enough to notice another rate. */
    public long askAgainMs(long nowMs) {
        long paidMs = paidUntil.get() / NANOS_PER_MS + 1;
        return Math.min(Math.max(paidMs, nowMs + 1), nowMs + LONGEST_WAIT_MS);
    }

    /** So many bytes were moved. */
    public void moved(long bytes, long nowMs) {
        long rate = bytesPerSecond;
        if (rate == UNLIMITED || rate == 0) {
            return;
        }
        long cost = (long) Math.min(LONGEST_DEBT_NANOS, (double) bytes / rate * NANOS_PER_SECOND);
        long kept = nowMs * NANOS_PER_MS - NANOS_PER_SECOND;
        paidUntil.updateAndGet(until -> Math.max(until, kept) + cost);
    }
}
