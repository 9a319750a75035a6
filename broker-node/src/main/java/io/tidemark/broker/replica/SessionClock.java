package io.tidemark.broker.replica;

/**
 * When a follower was last heard in one fetch session, and as which incarnation: shared by all partitions of the
 * session, so that partitions an incremental fetch does not name need no visit (B14).
 */
public final class SessionClock {
    /** Receipt time of the session's last fetch, monotonic milliseconds; never goes back. */
    private long lastFetchMs = FollowerProgress.NEVER;
    /** Broker epoch of that fetch, -1 if the sender has none. */
    private long brokerEpoch = -1;
    /** Whether it has fetched more than once: the follower got the answer to the first. */
    private boolean continued;

    public void fetched(long nowMs, long epoch) {
        continued |= lastFetchMs != FollowerProgress.NEVER;
        lastFetchMs = Math.max(lastFetchMs, nowMs);
        brokerEpoch = epoch;
    }

    boolean continued() {
        return continued;
    }

    public long lastFetchMs() {
        return lastFetchMs;
    }

    public long brokerEpoch() {
        return brokerEpoch;
    }
}
