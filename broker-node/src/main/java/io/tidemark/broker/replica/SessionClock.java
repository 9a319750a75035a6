package io.tidemark.broker.replica;

/**
 * When a follower was last heard in one fetch session, and as which incarnation: shared by all partitions of the
 * session, so that partitions an incremental fetch does not name need no visit (B14).
 */
public final class SessionClock {
    /** When the session was opened, monotonic milliseconds. */
    private final long openedMs;

    /** Receipt time of the session's last fetch, monotonic milliseconds; never goes back. */
    private long lastFetchMs = FollowerProgress.NEVER;
    /** Broker epoch of that fetch, -1 if the sender has none. */
    private long brokerEpoch = -1;

    /** Of a session as old as any. */
    public SessionClock() {
        this(FollowerProgress.NEVER);
    }

    public SessionClock(long openedMs) {
        this.openedMs = openedMs;
    }

    /** Whether the same incarnation has opened {@code other} after this one: what still comes in this one is late. */
    boolean isBefore(SessionClock other) {
        return openedMs < other.openedMs && brokerEpoch == other.brokerEpoch;
    }

    public void fetched(long nowMs, long epoch) {
        lastFetchMs = Math.max(lastFetchMs, nowMs);
        brokerEpoch = epoch;
    }

    public long lastFetchMs() {
        return lastFetchMs;
    }

    public long brokerEpoch() {
        return brokerEpoch;
    }
}
