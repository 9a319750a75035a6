package io.tidemark.broker.replica;

import io.tidemark.model.MonoTime;

/**
 * Until when this broker may take it that the controllers have not replaced it as a leader (B6): counted from the moment
 * at which an answered heartbeat was sent, and shorter than the session that this heartbeat renewed. One object serves all
 * replicas of a broker, so that thousands of them cost nothing to prolong; one thread prolongs it and the loops read it,
 * and a reader that is late by an instant only errs on the side of refusing.
 *
 * <p>No safety rule rests on it: it bounds how long a leader that was replaced unawares answers clients.
 */
public final class LeaderLease {
    private final long lengthMs;
    private volatile long untilMs;

    private LeaderLease(long lengthMs, long untilMs) {
        this.lengthMs = lengthMs;
        this.untilMs = untilMs;
    }

    /** Not yet granted. {@code lengthMs}: session less heartbeat interval, milliseconds, above 0. */
    public static LeaderLease of(long lengthMs) {
        return new LeaderLease(lengthMs, FollowerProgress.NEVER);
    }

    /** Never runs out: for cores without controllers. */
    public static LeaderLease endless() {
        return new LeaderLease(Long.MAX_VALUE / 4, Long.MAX_VALUE);
    }

    /** A heartbeat was answered by the acting controller; it was sent at {@code sent}. By one thread only. */
    public void answered(MonoTime sent) {
        untilMs = Math.max(untilMs, sent.ms() + lengthMs);
    }

    /** Whether it still runs. */
    public boolean runs(MonoTime now) {
        return runs(now.ms());
    }

    boolean runs(long nowMs) {
        return nowMs < untilMs;
    }

    /** When it ends or has ended, monotonic milliseconds. */
    long untilMs() {
        return untilMs;
    }

    long lengthMs() {
        return lengthMs;
    }
}
