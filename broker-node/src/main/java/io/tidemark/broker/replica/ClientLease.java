package io.tidemark.broker.replica;

/** Whether the leader of one epoch still answers clients, or must take it that another may lead by now (B6). */
final class ClientLease {
    static final String RAN_OUT =
            "no controller was heard for the length of the lease, and not all members fetch: another may lead";
    /** No moment at which a lease ends. */
    private static final long SERVES = Long.MIN_VALUE;

    private final LeaderState leader;
    private final LeaderLease lease;
    private final Watchers watchers;
    /** End of the lease after which readers that wait were told that this leader serves no clients. */
    private long turnedAwayAfterMs = SERVES;

    ClientLease(LeaderState leader, Watchers watchers) {
        this.leader = leader;
        this.lease = leader.settings().lease();
        this.watchers = watchers;
    }

    /**
     * The lease runs, or nobody who could have been elected instead of us serves: all of them still fetch from us in our
     * epoch. Joiners that may have been accepted count, for they may be elected as well.
     */
    boolean serves(long nowMs) {
        if (lease.runs(nowMs)) {
            return true;
        }
        for (FollowerProgress follower : leader.followers().values()) {
            boolean electable = leader.isr().inMaximalIsr(follower.id)
                    || leader.partition().elr().contains(follower.id);
            if (electable && !follower.heardWithin(lease.lengthMs(), nowMs)) {
                return false;
            }
        }
        return true;
    }

    /** Of a client's request: a wrong epoch is said first (R4.2), then that somebody else may lead. */
    ReplicaError error(int askedEpoch, long nowMs) {
        ReplicaError error = ReadRules.epochError(askedEpoch, leader.leaderEpoch());
        return error == ReplicaError.NONE && !serves(nowMs) ? ReplicaError.NOT_LEADER_OR_FOLLOWER : error;
    }

    /** Readers that wait look again, once, and are refused: nothing else would tell them to ask another. */
    void ranOut(long nowMs, Effects effects) {
        boolean serves = serves(nowMs);
        if (!serves && turnedAwayAfterMs != lease.untilMs()) {
            effects.say("serves no clients: the lease has run out and the other members do not all fetch");
            watchers.clientsTurnedAway(effects);
        }
        turnedAwayAfterMs = serves ? SERVES : lease.untilMs();
    }
}
