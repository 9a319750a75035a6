package io.tidemark.broker.replica;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What a leader knows of one follower: only what accepted fetches to this leader have told it (R1.1, R4.12, R4.15).
 *
 * <p>A follower that gives up a connection opens another, and what it sent on the first may be read by the leader later: a
 * fetch of an old session, or one that opens a session nobody will go on with. Its offset is old, and the session in use
 * does not name what has not moved, so it would not be put right. Nor does the order in which sessions are opened here tell
 * which one is in use. So what other sessions of the same incarnation said last is kept beside, and the session that is heard
 * last counts, whether it names this partition or not (R4.10).
 */
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

    /** What was said in other sessions of the same incarnation; mostly empty. */
    private final List<Said> elsewhere = new ArrayList<>(0);

    /** Other sessions that are remembered. */
    private static final int MOST_ELSEWHERE = 3;

    private static final Comparator<Said> LEAST_LIKELY_IN_USE = Comparator.comparing(
                    (Said said) -> said.session.continued())
            .thenComparingLong(said -> said.session.lastFetchMs());

    /** The last words on this partition in one session. */
    private record Said(SessionClock session, long end, long logStart, long leaderEnd, long fetchMs) {}

    FollowerProgress(int id) {
        this.id = id;
    }

    long end() {
        settle();
        return end;
    }

    long logStart() {
        settle();
        return logStart;
    }

    boolean seen() {
        return seen;
    }

    /** Of the last fetch recorded; null if there was none, or the session is over. */
    SessionClock session() {
        settle();
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
        settle();
        if (session != clock) {
            turnTo(clock);
        }
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

    /** What the present session said is kept if it is of the same incarnation, else nothing is. */
    private void turnTo(SessionClock clock) {
        if (clock.brokerEpoch() != brokerEpoch) {
            elsewhere.clear();
        } else if (session != null) {
            elsewhere.removeIf(said -> said.session == clock);
            if (elsewhere.size() == MOST_ELSEWHERE) {
                elsewhere.remove(Collections.min(elsewhere, LEAST_LIKELY_IN_USE));
            }
            elsewhere.add(new Said(session, end, logStart, leaderEndAtLastFetch, lastFetchMs));
        }
    }

    /** The session heard last counts. */
    private void settle() {
        if (elsewhere.isEmpty() || session == null) {
            return;
        }
        Said last = Collections.max(elsewhere, Comparator.comparingLong(said -> said.session.lastFetchMs()));
        if (last.session.lastFetchMs() > session.lastFetchMs()) {
            elsewhere.remove(last);
            elsewhere.add(new Said(session, end, logStart, leaderEndAtLastFetch, lastFetchMs));
            end = last.end;
            logStart = last.logStart;
            leaderEndAtLastFetch = last.leaderEnd;
            lastFetchMs = last.fetchMs;
            session = last.session;
        }
    }

    /** B14: before the leader's end moves on from {@code leaderEnd}, a follower at it was caught up at its last fetch. */
    void leaderEndMoves(long leaderEnd) {
        settle();
        if (end == leaderEnd && session != null) {
            lastCaughtUpMs = Math.max(lastCaughtUpMs, session.lastFetchMs());
        }
    }

    /** Whether its session has fetched, whatever it named, within the limit. */
    boolean heardWithin(long lagTimeMaxMs, long nowMs) {
        settle();
        return session != null && nowMs - session.lastFetchMs() <= lagTimeMaxMs;
    }

    /** The session goes on without this partition: it says nothing of it any more. */
    void left(SessionClock clock) {
        elsewhere.removeIf(said -> said.session == clock);
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
        settle();
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
        elsewhere.clear();
    }

    /** R4.15, re-elected in the very next epoch: the ends stand, the times start anew. */
    void reelected(boolean inIsr, long leaderEnd, long nowMs) {
        leaderEndAtLastFetch = leaderEnd;
        lastFetchMs = inIsr ? nowMs : NEVER;
        lastCaughtUpMs = inIsr ? nowMs : NEVER;
        session = null;
        elsewhere.clear();
    }
}
