package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.Map;

/**
 * A replica in the role of leader, for one leader epoch: hears each event and has the parts of a leader look at it in their
 * order. What a part sees is what those before it have left, so the order is part of the rules:
 *
 * <pre>
 *   assumed                   epoch to the checkpoint, high watermark, report
 *   metadata, brokers, feed   ISR, deletions, high watermark, joiners, report
 *   change accepted           the same
 *   change refused            the change; high watermark, if that lets joiners go
 *   append                    staged, or refused, or answered at once
 *   written                   acks of the leader alone, followers told, high watermark with acks=all
 *   fetch of a follower       its progress, deletions, joiners, high watermark, answer
 *   tick                      what has waited too long, shrink, resend, high watermark, joiners, report
 *   resigned                  all who wait are told
 * </pre>
 *
 * The states of the ISR are the table at {@link IsrState}.
 */
final class Leading {
    private final LeaderState leader;
    private final LogView log;
    private final Watchers watchers;
    private final ClientLease lease;
    private final LeaderReads reads;
    private final LeaderAppends appends;
    private final LeaderHighWatermark mark;
    private final RecordDeletions deletions;
    private final IsrProposals proposals;

    private Leading(LeaderState leader, Watchers watchers, long index, long nowMs) {
        this.leader = leader;
        this.log = leader.log();
        this.watchers = watchers;
        this.lease = new ClientLease(leader, watchers);
        this.reads = new LeaderReads(leader, lease);
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
        isrMoved(nowMs, effects);
    }

    /** The ISR, its min, or who is there may have changed. */
    private void isrMoved(long nowMs, Effects effects) {
        // A replica that is not there any more is not waited for (R3.26).
        deletions.answerReached(effects);
        // The mark first: a member that has just been let go must not be taken back where it stopped (S6).
        mark.advance(nowMs, effects);
        proposals.proposeJoiners(nowMs, effects);
        proposals.proposeReport(nowMs, effects);
    }

    // ---- appends ----

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

    /** What the fetch tells of the follower counts before it is answered. */
    void followerFetch(ReplicaEvent.FollowerFetch fetch, long nowMs, Effects effects) {
        if (!reads.readable(fetch, effects)) {
            return;
        }
        if (fetch.record()) {
            FollowerProgress follower = leader.followers().get(fetch.replicaId());
            long before = follower.end();
            follower.fetched(fetch.offset(), fetch.logStart(), log.end(), nowMs, fetch.clock());
            deletions.answerReached(effects);
            proposals.proposeJoiners(nowMs, effects);
            if (follower.end() != before) {
                mark.advance(nowMs, effects);
            }
        }
        reads.allow(fetch, effects);
    }

    void consumerFetch(ReplicaEvent.ConsumerFetch fetch, long nowMs, Effects effects) {
        reads.consumerFetch(fetch, nowMs, effects);
    }

    void sessionLeft(SessionClock clock) {
        leader.followers().values().forEach(follower -> follower.left(clock));
    }

    // ---- lease ----

    void leaseRanOut(long nowMs, Effects effects) {
        lease.ranOut(nowMs, effects);
    }

    // ---- ISR ----

    void alterAnswered(ReplicaEvent.AlterAnswered answer, long nowMs, Effects effects) {
        if (proposals.answered(answer, nowMs, effects)) {
            isrMoved(nowMs, effects);
        }
    }

    void alterUnknown(long proposal, long nowMs) {
        proposals.outcomeUnknown(proposal, nowMs);
    }

    // ---- questions ----

    void offsetQuery(ReplicaEvent.OffsetQuery query, long nowMs, Effects effects) {
        reads.offsetQuery(query, nowMs, effects);
    }

    boolean markBehindEpochStart() {
        return reads.markBehindEpochStart();
    }

    void epochQuery(ReplicaEvent.EpochQuery query, Effects effects) {
        reads.epochQuery(query, effects);
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
