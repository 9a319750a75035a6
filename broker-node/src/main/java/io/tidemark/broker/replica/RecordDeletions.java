package io.tidemark.broker.replica;

/**
 * DeleteRecords at the leader of one epoch: gives records up here at once, and answers when the low watermark, where the log
 * starts on every replica that is there, has reached what was asked for (R3.26).
 */
final class RecordDeletions {
    private final LeaderState leader;
    private final LogView log;
    private final ClientLease lease;
    private final Watchers watchers;
    private final DeletionWaiters waiters = new DeletionWaiters();

    RecordDeletions(LeaderState leader, ClientLease lease, Watchers watchers) {
        this.leader = leader;
        this.log = leader.log();
        this.lease = lease;
        this.watchers = watchers;
    }

    /** Up to the mark at most. */
    void giveUp(ReplicaEvent.RecordsGivenUp request, long nowMs, Effects effects) {
        long target = request.offset() == -1 ? log.highWatermark() : request.offset();
        ReplicaError error = lease.error(-1, nowMs);
        if (error == ReplicaError.NONE && (target < 0 || target > log.highWatermark())) {
            error = ReplicaError.OFFSET_OUT_OF_RANGE;
        }
        if (error != ReplicaError.NONE) {
            effects.add(new Effect.RecordsDeleted(request.token(), error, -1));
            return;
        }
        if (target > log.logStart()) {
            log.logStart(target);
            effects.add(new Effect.RaiseLogStart(target));
            watchers.startMoved(effects);
        }
        waiters.await(request.token(), target, request.deadlineMs());
        answerReached(effects);
    }

    /** To be called whenever the low watermark may have moved. */
    void answerReached(Effects effects) {
        if (!waiters.isEmpty()) {
            waiters.reached(lowWatermark(), effects);
        }
    }

    /** Where the log starts here and on every other replica whose broker is there; -1 while one of them has not said. */
    private long lowWatermark() {
        long low = log.logStart();
        for (FollowerProgress follower : leader.followers().values()) {
            BrokerView view = leader.brokers().get(follower.id);
            if (view != null && view.active()) {
                low = Math.min(low, follower.logStart());
            }
        }
        return low;
    }

    void expire(long nowMs, Effects effects) {
        waiters.expire(nowMs, effects);
    }

    long nextDeadlineMs() {
        return waiters.nextDeadlineMs();
    }

    /** The leadership ends: what the others have deleted is the next leader's to see. */
    void abandon(Effects effects) {
        waiters.abandon(effects);
    }
}
