package io.tidemark.broker.replica;

/**
 * What is appended at the leader of one epoch: whether, at which offset, and when it is acknowledged. Below acks=all that is
 * once it is written, with acks=all once the high watermark has passed it.
 */
final class LeaderAppends {
    private final LeaderState leader;
    private final LogView log;
    private final ClientLease lease;
    private final ProduceWaiters waiters = new ProduceWaiters();

    LeaderAppends(LeaderState leader, ClientLease lease) {
        this.leader = leader;
        this.log = leader.log();
        this.lease = lease;
    }

    /** R5.3, R5.10, R5.31, B6: refuses, answers, or stages and waits. */
    void produce(ReplicaEvent.ProduceRequested request, long nowMs, Effects effects) {
        boolean all = request.acks() == -1;
        if (all && leader.underMinIsr()) {
            refuse(
                    request.token(),
                    ReplicaError.NOT_ENOUGH_REPLICAS,
                    "ISR " + leader.isr().isr() + " is below the min ISR of "
                            + leader.partition().minIsr(),
                    effects);
        } else if (!all && !lease.serves(nowMs)) {
            refuse(request.token(), ReplicaError.NOT_LEADER_OR_FOLLOWER, ClientLease.RAN_OUT, effects);
        } else if (request.verdict() instanceof ProducerVerdict.Refused refused) {
            // Somebody else may lead by now, and know the batches that are missing here.
            boolean current = lease.serves(nowMs);
            refuse(
                    request.token(),
                    current ? refused.error() : ReplicaError.NOT_LEADER_OR_FOLLOWER,
                    current ? refused.message() : ClientLease.RAN_OUT,
                    effects);
        } else if (request.verdict() instanceof ProducerVerdict.Duplicate duplicate) {
            await(request, duplicate.lastOffset() + 1, duplicate.firstOffset(), effects);
        } else {
            long base = log.stagedEnd();
            log.stage(base + request.offsets());
            effects.add(new Effect.Stage(request.token(), base, leader.leaderEpoch()));
            await(request, base + request.offsets(), base, effects);
        }
    }

    private void await(ReplicaEvent.ProduceRequested request, long required, long base, Effects effects) {
        if (request.acks() == -1) {
            waiters.awaitMark(request.token(), required, base, request.deadlineMs());
            if (required <= log.highWatermark()) {
                markReached(effects);
            }
        } else if (required <= log.end()) {
            effects.add(new Effect.ProduceAnswered(request.token(), ReplicaError.NONE, base, log.logStart(), null));
        } else {
            waiters.awaitWrite(request.token(), required, base);
        }
    }

    private static void refuse(long token, ReplicaError error, String message, Effects effects) {
        effects.add(new Effect.ProduceAnswered(token, error, -1, -1, message));
    }

    /** All below {@code end} is written. */
    void written(long end, Effects effects) {
        waiters.written(end, log.logStart(), effects);
    }

    /** R5.11: the verdict on those the mark has reached is taken now. */
    void markReached(Effects effects) {
        ReplicaError verdict = leader.partition().minIsr() <= leader.isr().maximalSize()
                ? ReplicaError.NONE
                : ReplicaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND;
        waiters.markReached(log.highWatermark(), log.logStart(), verdict, effects);
    }

    void expire(long nowMs, Effects effects) {
        waiters.expire(nowMs, effects);
    }

    long nextDeadlineMs() {
        return waiters.nextDeadlineMs();
    }

    /** The leadership ends: nobody who waits can be told that the append will stand. */
    void abandon(Effects effects) {
        waiters.abandon(effects);
    }
}
