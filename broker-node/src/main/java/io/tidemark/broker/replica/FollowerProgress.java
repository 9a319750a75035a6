package io.tidemark.broker.replica;

/** What a leader knows of one follower: only what accepted fetches to this leader have told it (R1.1, R4.12, R4.15). */
final class FollowerProgress {
    static final long UNKNOWN = -1;
    /** A moment before all others, far enough from the ends of the range to be added to. */
    static final long NEVER = Long.MIN_VALUE / 4;

    final int id;
    /** Fetch offset of the last accepted fetch = the follower's log end; -1 unknown. May go down (R4.14). */
    private long end = UNKNOWN;
    /** Log start the follower last sent; -1 unknown. */
    private long logStart = UNKNOWN;
    /** Leader's end at the previous fetch; -1 unknown. */
    private long leaderEndAtLastFetch = UNKNOWN;
    /** Receipt time of the last fetch that named this partition, monotonic milliseconds. */
    private long lastFetchMs = NEVER;
    /** Last moment at which the follower had all that the leader had then, monotonic milliseconds. */
    private long lastCaughtUpMs = NEVER;
    /** Broker epoch of the last accepted fetch; -1 if the sender has none or nothing was fetched yet. */
    private long brokerEpoch = -1;
    /** Whether any fetch was accepted since the last reset: only then is {@link #brokerEpoch} known (R2.12d). */
    private boolean seen;

    private SessionClock session;

    FollowerProgress(int id) {
        this.id = id;
    }

    long end() {
        return end;
    }

    long logStart() {
        return logStart;
    }

    boolean seen() {
        return seen;
    }

    /** Of the last fetch recorded; null if there was none, or the session is over. */
    SessionClock session() {
        return session;
    }

    long lastFetchMs() {
        return lastFetchMs;
    }

    /** Epoch of the incarnation last heard, -1 if none or unknown. */
    long brokerEpoch() {
        return brokerEpoch;
    }

    /** R4.12: an accepted fetch at {@code offset}, received at {@code nowMs} when the leader's end was {@code leaderEnd}. */
    void fetched(long offset, long followerStart, long leaderEnd, long nowMs, SessionClock clock) {
        if (offset >= leaderEnd) {
            lastCaughtUpMs = Math.max(lastCaughtUpMs, nowMs);
        } else if (leaderEndAtLastFetch >= 0 && offset >= leaderEndAtLastFetch) {
            lastCaughtUpMs = Math.max(lastCaughtUpMs, lastFetchMs);
        }
        end = offset;
        logStart = followerStart;
        leaderEndAtLastFetch = Math.max(leaderEnd, leaderEndAtLastFetch);
        lastFetchMs = nowMs;
        brokerEpoch = clock.brokerEpoch();
        session = clock;
        seen = true;
    }

    /** Whether the follower has been heard in a session that it opened after that one. */
    boolean heardLaterThan(SessionClock clock) {
        return session != null && clock.isBefore(session);
    }

    /** B14: before the leader's end moves on from {@code leaderEnd}, a follower at it was caught up at its last fetch. */
    void leaderEndMoves(long leaderEnd) {
        if (end == leaderEnd && session != null) {
            lastCaughtUpMs = Math.max(lastCaughtUpMs, session.lastFetchMs());
        }
    }

    /** Whether its session has fetched, whatever it named, within the limit. */
    boolean heardWithin(long lagTimeMaxMs, long nowMs) {
        return session != null && nowMs - session.lastFetchMs() <= lagTimeMaxMs;
    }

    /** The session goes on without this partition: it says nothing of it any more. */
    void left(SessionClock clock) {
        if (session == clock) {
            session = null;
        }
    }

    /** It became a member: like the members of a new epoch (R4.15) it has the lag limit from here. */
    void joined(long nowMs) {
        lastCaughtUpMs = Math.max(lastCaughtUpMs, nowMs);
    }

    /** R4.13: at the leader's end, or within the limit of the last moment it was there. */
    boolean caughtUp(long leaderEnd, long nowMs, long lagTimeMaxMs) {
        return end == leaderEnd || nowMs - lastCaughtUpMs <= lagTimeMaxMs;
    }

    /** When this follower stops being caught up unless it fetches; meaningful only while it is behind. */
    long lagDeadlineMs(long lagTimeMaxMs) {
        return lastCaughtUpMs + lagTimeMaxMs;
    }

    long lastCaughtUpMs() {
        return lastCaughtUpMs;
    }

    /** R4.15, this broker was not the leader of the epoch before (B20): everything is forgotten. */
    void reset(boolean inIsr, long nowMs) {
        end = UNKNOWN;
        logStart = UNKNOWN;
        leaderEndAtLastFetch = UNKNOWN;
        lastFetchMs = NEVER;
        lastCaughtUpMs = inIsr ? nowMs : NEVER;
        brokerEpoch = -1;
        seen = false;
        session = null;
    }

    /** R4.15, re-elected in the very next epoch: the ends stand, the times start anew. */
    void reelected(boolean inIsr, long leaderEnd, long nowMs) {
        leaderEndAtLastFetch = leaderEnd;
        lastFetchMs = inIsr ? nowMs : NEVER;
        lastCaughtUpMs = inIsr ? nowMs : NEVER;
        session = null;
    }
}
