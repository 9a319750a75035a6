package io.tidemark.broker.replica;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/** The sessions of one loop, bounded (R4.30, R4.32): followers before consumers, the longest idle goes first. */
public final class FetchSessions {
    /** How long a session must have been idle before another may take its place, milliseconds. */
    public static final long EVICTION_MS = 120_000;

    /** How a request relates to the sessions. */
    public enum Outcome {
        OPENED,
        CONTINUED,
        SESSIONLESS,
        ID_NOT_FOUND,
        INVALID_EPOCH
    }

    /** @param replaced the session that was closed by this request, or null */
    public record Resolved(Outcome outcome, FetchSession session, FetchSession replaced) {}

    private final int slots;
    private final Map<Integer, FetchSession> sessions = new HashMap<>();
    private final IntSupplier ids;
    private long evictions;

    /**
     * @param slots how many sessions are kept, {@code max.incremental.fetch.session.cache.slots}
     * @param ids proposes the id of a new session; by chance, so that a reader that comes back to another loop, or after
     *     a restart, does not go on with somebody else's
     */
    public FetchSessions(int slots, IntSupplier ids) {
        this.slots = slots;
        this.ids = ids;
    }

    /** R4.30. A session that is opened when all slots are taken by younger or more important ones is sessionless. */
    public Resolved resolve(int id, int epoch, boolean follower, long nowMs) {
        if (epoch == 0 || epoch == -1) {
            FetchSession closed = id == 0 ? null : sessions.remove(id);
            if (epoch == -1) {
                return new Resolved(Outcome.SESSIONLESS, new FetchSession(0, follower, nowMs), closed);
            }
            FetchSession evicted = sessions.size() < slots ? null : evict(follower, nowMs);
            if (sessions.size() >= slots) {
                return new Resolved(Outcome.SESSIONLESS, new FetchSession(0, follower, nowMs), closed);
            }
            FetchSession opened = new FetchSession(newId(), follower, nowMs);
            sessions.put(opened.id(), opened);
            return new Resolved(Outcome.OPENED, opened, closed != null ? closed : evicted);
        }
        FetchSession session = sessions.get(id);
        if (session == null || session.isFollower() != follower) {
            return new Resolved(Outcome.ID_NOT_FOUND, null, null);
        }
        if (session.nextEpoch() != epoch) {
            return new Resolved(Outcome.INVALID_EPOCH, null, null);
        }
        session.advance(nowMs);
        return new Resolved(Outcome.CONTINUED, session, null);
    }

    /** The session ends, with its connection for instance. */
    public void close(FetchSession session) {
        sessions.remove(session.id(), session);
    }

    public int size() {
        return sessions.size();
    }

    /** Partitions in all sessions together. */
    public long partitions() {
        return sessions.values().stream().mapToLong(FetchSession::size).sum();
    }

    /** Sessions that had to go for others. */
    public long evictions() {
        return evictions;
    }

    private FetchSession evict(boolean forFollower, long nowMs) {
        FetchSession oldest = null;
        for (FetchSession session : sessions.values()) {
            boolean idle = nowMs - session.lastUsedMs() > EVICTION_MS;
            boolean lesser = forFollower && !session.isFollower();
            if ((idle || lesser) && (oldest == null || session.lastUsedMs() < oldest.lastUsedMs())) {
                oldest = session;
            }
        }
        if (oldest != null) {
            sessions.remove(oldest.id());
            evictions++;
        }
        return oldest;
    }

    private int newId() {
        int id;
        do {
            id = ids.getAsInt();
        } while (id <= 0 || sessions.containsKey(id));
        return id;
    }
}
