package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.Map;

/**
 * A replica in the role of leader, for one leader epoch: appends, serves followers, moves the high watermark and keeps
 * the ISR. The states of the ISR are the table at {@link IsrState}.
 */
final class Leading {
    private final LeaderState leader;
    private final ReplicaSettings settings;
    private final LogView log;
    private final Watchers watchers;
    private final ClientLease lease;
    private final LeaderAppends appends;
    private final LeaderHighWatermark mark;
    private final RecordDeletions deletions;
    private final IsrProposals proposals;

    private Leading(LeaderState leader, Watchers watchers, long index, long nowMs) {
        this.leader = leader;
        this.settings = leader.settings();
        this.log = leader.log();
        this.watchers = watchers;
        this.lease = new ClientLease(leader, watchers);
        this.appends = new LeaderAppends(leader, lease);
        this.deletions = new RecordDeletions(leader, lease, watchers);
        this.mark = new LeaderHighWatermark(leader, watchers, appends, nowMs);
        this.proposals = new IsrProposals(leader, mark, index);
    }

    /** R2.41: assumes the epoch of {@code state}. {@code before} is the leadership given up with it, or null. */
    static Leading assume(
            ReplicaSettings settings,
            LogView log,
            Watchers watchers,
            PartitionState state,
            Map<Integer, BrokerView> brokers,
            long index,
            Leading before,
            long nowMs,
            Effects effects) {
        LeaderState leader = new LeaderState(settings, log, state, brokers);
        leader.adoptFollowers(before == null ? null : before.leader, nowMs);
        Leading leading = new Leading(leader, watchers, index, nowMs);
        log.epochs(log.epochs().assign(leader.leaderEpoch(), leader.epochStart()));
        effects.add(new Effect.PersistEpochs(log.epochs()));
        effects.say(
                "leads with leader epoch %d from offset %d, partition epoch %d, high watermark %d, ISR %s, replicas %s",
                leader.leaderEpoch(),
                leader.epochStart(),
                state.partitionEpoch(),
                log.highWatermark(),
                state.isr(),
                state.replicas());
        leading.mark.advance(nowMs, effects);
        leading.proposals.proposeReport(nowMs, effects);
        return leading;
    }

    IsrState isr() {
        return leader.isr();
    }

    /** What is known of each other replica. */
    Map<Integer, FollowerProgress> followers() {
        return leader.followers();
    }

    /** Of the metadata acted on. */
    Map<Integer, BrokerView> brokers() {
        return leader.brokers();
    }

    // ---- metadata ----

    /** R2.42: the same epoch goes on. Equal PE never touches what is pending (B18); only eligibility may have changed. */
    void metadata(PartitionState newer, Map<Integer, BrokerView> views, long index, long nowMs, Effects effects) {
        Check.that(
                newer.leaderEpoch() == leader.leaderEpoch(),
                "same leader epoch",
                newer.leaderEpoch(),
                leader.leaderEpoch());
        leader.brokers(views);
        proposals.eligibilityChanged();
        if (newer.partitionEpoch() > leader.partition().partitionEpoch()) {
            List<Integer> before = leader.isr().isr();
            leader.committed(newer, nowMs);
            mark.release();
            if (!before.equals(newer.isr())) {
                effects.say(
                        "ISR is now %s (was %s), partition epoch %d%s",
                        newer.isr(),
                        before,
                        newer.partitionEpoch(),
                        newer.elr().isEmpty() ? "" : ", ELR " + newer.elr());
            }
        }
        feedReached(index, nowMs, effects);
    }

    void eligibility(Map<Integer, BrokerView> views, long index, long nowMs, Effects effects) {
        leader.brokers(views);
        proposals.eligibilityChanged();
        feedReached(index, nowMs, effects);
    }

    /** B3: an accepted change takes effect only once the image has reached it. */
    void feedReached(long index, long nowMs, Effects effects) {
        proposals.feedReached(index);
        metadataMoved(nowMs, effects);
    }

    private void metadataMoved(long nowMs, Effects effects) {
        // A replica that is not there any more is not waited for (R3.26).
        deletions.answerReached(effects);
        // The mark first: a member that has just been let go must not be taken back where it stopped (S6).
        mark.advance(nowMs, effects);
        proposals.proposeJoiners(nowMs, effects);
        proposals.proposeReport(nowMs, effects);
    }

    // ---- produce ----

    void produce(ReplicaEvent.ProduceRequested request, long nowMs, Effects effects) {
        appends.produce(request, nowMs, effects);
    }

    void written(long end, long nowMs, Effects effects) {
        for (FollowerProgress follower : leader.followers().values()) {
            follower.leaderEndMoves(log.end());
        }
        mark.endMoves(nowMs);
        log.written(end);
        appends.written(end, effects);
        watchers.dataArrived(effects);
        mark.advance(nowMs, effects);
    }

    // ---- deletion of records ----

    void giveUp(ReplicaEvent.RecordsGivenUp request, long nowMs, Effects effects) {
        deletions.giveUp(request, nowMs, effects);
    }

    // ---- followers ----

    void followerFetch(ReplicaEvent.FollowerFetch fetch, long nowMs, Effects effects) {
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
        long end = log.end();
        boolean readable = ReadRules.readable(
                fetch.token(), error, fetch.offset(), fetch.lastFetchedEpoch(), log, log.end(), effects);
        if (readable && fetch.record()) {
            long before = follower.end();
            follower.fetched(fetch.offset(), fetch.logStart(), end, nowMs, fetch.clock());
            deletions.answerReached(effects);
            proposals.proposeJoiners(nowMs, effects);
            if (follower.end() != before) {
                mark.advance(nowMs, effects);
            }
        }
        if (readable) {
            effects.add(new Effect.ReadAllowed(
                    fetch.token(),
                    end,
                    log.highWatermark(),
                    log.highWatermark(),
                    log.logStart(),
                    !leader.partition().isr().contains(fetch.replicaId())));
        }
    }

    void consumerFetch(ReplicaEvent.ConsumerFetch fetch, long nowMs, Effects effects) {
        ReplicaError error = lease.error(fetch.leaderEpoch(), nowMs);
        long limit = log.highWatermark();
        if (ReadRules.readable(
                fetch.token(), error, fetch.offset(), fetch.lastFetchedEpoch(), log, log.end(), effects)) {
            int nearest = fetch.rack().isEmpty()
                    ? settings.self()
                    : NearestReplica.of(
                            fetch.rack(),
                            fetch.offset(),
                            settings.self(),
                            leader.isr().isr(),
                            leader.followers(),
                            leader.brokers());
            effects.add(
                    nearest == settings.self()
                            ? new Effect.ReadAllowed(fetch.token(), limit, limit, limit, log.logStart(), false)
                            : new Effect.ReadElsewhere(fetch.token(), nearest, limit, log.logStart()));
        }
    }

    // ---- lease ----

    void sessionLeft(SessionClock clock) {
        leader.followers().values().forEach(follower -> follower.left(clock));
    }

    void leaseRanOut(long nowMs, Effects effects) {
        lease.ranOut(nowMs, effects);
    }

    // ---- ISR ----

    void alterAnswered(ReplicaEvent.AlterAnswered answer, long nowMs, Effects effects) {
        if (proposals.answered(answer, nowMs, effects)) {
            metadataMoved(nowMs, effects);
        }
    }

    void alterUnknown(long proposal, long nowMs) {
        proposals.outcomeUnknown(proposal, nowMs);
    }

    // ---- questions ----

    void offsetQuery(ReplicaEvent.OffsetQuery query, long nowMs, Effects effects) {
        ReplicaError error = query.fromClient()
                ? lease.error(query.leaderEpoch(), nowMs)
                : ReadRules.epochError(query.leaderEpoch(), leader.leaderEpoch());
        long offset = -1;
        int epoch = leader.leaderEpoch();
        if (error == ReplicaError.NONE) {
            boolean markBehind = query.fromClient() && log.highWatermark() < leader.epochStart();
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

    /** B11. */
    Explanation.Leadership explain(long nowMs) {
        return new LeaderExplainer(leader, mark, proposals.refusals()).explain(lease.serves(nowMs), nowMs);
    }

    // ---- time ----

    void tick(long nowMs, Effects effects) {
        appends.expire(nowMs, effects);
        deletions.expire(nowMs, effects);
        proposals.proposeShrink(nowMs, effects);
        proposals.resend(nowMs, effects);
        // A replica that no longer keeps up stops holding the mark, and one that was refused may try again (O14, O21).
        mark.advance(nowMs, effects);
        proposals.proposeJoiners(nowMs, effects);
        proposals.proposeReport(nowMs, effects);
    }

    /** Earliest moment at which {@link #tick} has something to do; {@link Long#MAX_VALUE} if never. */
    long nextDeadlineMs(long nowMs) {
        long waiters = Math.min(appends.nextDeadlineMs(), deletions.nextDeadlineMs());
        return Math.min(waiters, proposals.nextDeadlineMs(nowMs));
    }

    /** The leadership ends: nobody who waits can be told that the append will stand. */
    void resign(Effects effects) {
        appends.abandon(effects);
        deletions.abandon(effects);
    }
}
