package io.tidemark.broker.replica;

import io.tidemark.model.EpochAndOffset;

/** What the leader of one epoch lets consumers and followers read, and what it tells of the offsets of its log. */
final class LeaderReads {
    private final LeaderState leader;
    private final LogView log;
    private final ClientLease lease;

    LeaderReads(LeaderState leader, ClientLease lease) {
        this.leader = leader;
        this.log = leader.log();
        this.lease = lease;
    }

    /** Whether the fetch of a follower may go on; else its refusal, or the divergence, is among the effects. */
    boolean readable(ReplicaEvent.FollowerFetch fetch, Effects effects) {
        return ReadRules.readable(
                fetch.token(), error(fetch), fetch.offset(), fetch.lastFetchedEpoch(), log, log.end(), effects);
    }

    private ReplicaError error(ReplicaEvent.FollowerFetch fetch) {
        BrokerView view = leader.brokers().get(fetch.replicaId());
        FollowerProgress follower = leader.followers().get(fetch.replicaId());
        ReplicaError error = ReadRules.epochError(fetch.leaderEpoch(), leader.leaderEpoch());
        if (error == ReplicaError.NONE && follower == null) {
            // R4.4: its metadata may be ahead of ours.
            error = fetch.leaderEpoch() >= 0 ? ReplicaError.UNKNOWN_LEADER_EPOCH : ReplicaError.NOT_LEADER_OR_FOLLOWER;
        }
        long senderEpoch = fetch.clock().brokerEpoch();
        if (error == ReplicaError.NONE && senderEpoch != -1 && view != null && view.epoch() > senderEpoch) {
            // R4.11: a late fetch of an incarnation that is gone.
            error = ReplicaError.NOT_LEADER_OR_FOLLOWER;
        }
        return error;
    }

    /** A follower reads up to the end of the log. */
    void allow(ReplicaEvent.FollowerFetch fetch, Effects effects) {
        effects.add(new Effect.ReadAllowed(
                fetch.token(),
                log.end(),
                log.highWatermark(),
                log.highWatermark(),
                log.logStart(),
                !leader.partition().isr().contains(fetch.replicaId())));
    }

    /** A consumer reads up to the mark, from a replica in its rack if there is one (R4.40). */
    void consumerFetch(ReplicaEvent.ConsumerFetch fetch, long nowMs, Effects effects) {
        ReplicaError error = lease.error(fetch.leaderEpoch(), nowMs);
        long limit = log.highWatermark();
        if (ReadRules.readable(
                fetch.token(), error, fetch.offset(), fetch.lastFetchedEpoch(), log, log.end(), effects)) {
            int nearest = nearest(fetch);
            effects.add(
                    nearest == leader.self()
                            ? new Effect.ReadAllowed(fetch.token(), limit, limit, limit, log.logStart(), false)
                            : new Effect.ReadElsewhere(fetch.token(), nearest, limit, log.logStart()));
        }
    }

    private int nearest(ReplicaEvent.ConsumerFetch fetch) {
        return fetch.rack().isEmpty()
                ? leader.self()
                : NearestReplica.of(
                        fetch.rack(),
                        fetch.offset(),
                        leader.self(),
                        leader.isr().isr(),
                        leader.followers(),
                        leader.brokers());
    }

    void offsetQuery(ReplicaEvent.OffsetQuery query, long nowMs, Effects effects) {
        ReplicaError error = query.fromClient()
                ? lease.error(query.leaderEpoch(), nowMs)
                : ReadRules.epochError(query.leaderEpoch(), leader.leaderEpoch());
        long offset = -1;
        int epoch = leader.leaderEpoch();
        if (error == ReplicaError.NONE) {
            boolean markBehind = query.fromClient() && markBehindEpochStart();
            if (query.bound() == ReplicaEvent.OffsetQuery.Bound.EARLIEST) {
                offset = log.logStart();
                epoch = log.epochs().epochAt(offset);
            } else if (markBehind && query.bound() == ReplicaEvent.OffsetQuery.Bound.LATEST) {
                // R3.22: what an earlier leader has exposed may lie above our mark.
                error = ReplicaError.OFFSET_NOT_AVAILABLE;
            } else {
                offset = query.fromClient() ? log.highWatermark() : log.end();
            }
        }
        effects.add(new Effect.OffsetFound(query.token(), error, offset, error == ReplicaError.NONE ? epoch : -1));
    }

    /** Whether look-ups beyond the mark must be refused because an earlier leader may have exposed more (R3.22). */
    boolean markBehindEpochStart() {
        return log.highWatermark() < leader.epochStart();
    }

    void epochQuery(ReplicaEvent.EpochQuery query, Effects effects) {
        ReplicaError error = ReadRules.epochError(query.leaderEpoch(), leader.leaderEpoch());
        EpochAndOffset found = error == ReplicaError.NONE
                ? log.epochs().endOffsetFor(query.epoch(), log.end())
                : EpochAndOffset.UNDEFINED;
        effects.add(new Effect.EpochFound(query.token(), error, found.epoch(), found.offset()));
    }
}
