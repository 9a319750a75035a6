package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
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
    private final Refusals refusals = new Refusals();
    private final ProposalMaker proposals;

    private long appliedIndex;
    /** PE that an accepted report led to; a controller that keeps no floor is not told twice. */
    private int reportedAt = -1;
    /** A refused shrink is not proposed again before this moment; monotonic milliseconds. */
    private long shrinkNotBeforeMs = FollowerProgress.NEVER;

    private Leading(LeaderState leader, Watchers watchers, long index, long nowMs) {
        this.leader = leader;
        this.settings = leader.settings();
        this.log = leader.log();
        this.watchers = watchers;
        this.lease = new ClientLease(leader, watchers);
        this.appends = new LeaderAppends(leader, lease);
        this.deletions = new RecordDeletions(leader, lease, watchers);
        this.mark = new LeaderHighWatermark(leader, watchers, appends, nowMs);
        this.appliedIndex = index;
        this.proposals = new ProposalMaker(leader);
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
        leading.proposeReport(nowMs, effects);
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
        refusals.clear();
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
        refusals.clear();
        feedReached(index, nowMs, effects);
    }

    /** B3: an accepted change takes effect only once the image has reached it. */
    void feedReached(long index, long nowMs, Effects effects) {
        appliedIndex = Math.max(appliedIndex, index);
        Proposal pending = leader.isr().proposal();
        if (pending != null
                && pending.acceptedBy(appliedIndex)
                && pending.acceptedPartitionEpoch() == leader.partition().partitionEpoch()) {
            // The controller found nothing to change (R7.53); a higher PE comes as metadata.
            leader.isr(new IsrState.Committed(pending.acceptedIsr()));
        }
        // A replica that is not there any more is not waited for (R3.26).
        deletions.answerReached(effects);
        // The mark first: a member that has just been let go must not be taken back where it stopped (S6).
        mark.advance(nowMs, effects);
        proposeJoiners(nowMs, effects);
        proposeReport(nowMs, effects);
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
            proposeJoiners(nowMs, effects);
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

    /**
     * R2.11 in its order, for every replica at once: several may join in one expansion (B9, O10). Outside a fetch (B14)
     * only those are looked at that still fetch.
     */
    private void proposeJoiners(long nowMs, Effects effects) {
        if (!(leader.isr() instanceof IsrState.Committed)) {
            return;
        }
        List<Integer> joiners = new ArrayList<>();
        for (int replica : leader.partition().replicas()) {
            FollowerProgress follower = leader.followers().get(replica);
            if (follower != null
                    && !leader.isr().isr().contains(replica)
                    && leader.obstacle(follower, refusals, nowMs) == Explanation.Absence.NONE) {
                joiners.add(replica);
            }
        }
        if (joiners.isEmpty()) {
            return;
        }
        List<Integer> wanted = new ArrayList<>(leader.isr().isr());
        wanted.addAll(joiners);
        Proposal proposal = propose(wanted, "replicas " + joiners + " have caught up", nowMs);
        leader.isr(new IsrState.PendingExpand(leader.isr().isr(), joiners, proposal));
        effects.say(
                "expanding ISR from %s to %s: caught up at high watermark %d",
                leader.isr().isr(), wanted, log.highWatermark());
        effects.add(new Effect.SendAlter(proposal.number, proposal.request));
    }

    /** R2.17, R2.18 at the members' own deadlines (B7). */
    private void proposeShrink(long nowMs, Effects effects) {
        if (!(leader.isr() instanceof IsrState.Committed) || nowMs < shrinkNotBeforeMs) {
            return;
        }
        List<Integer> leavers = new ArrayList<>();
        StringBuilder why = new StringBuilder();
        for (int member : leader.isr().isr()) {
            FollowerProgress follower = leader.followers().get(member);
            if (follower != null && !leader.caughtUp(follower, nowMs)) {
                leavers.add(member);
                why.append(why.length() == 0 ? "" : ", ")
                        .append("replica ")
                        .append(member)
                        .append(" at ")
                        .append(follower.end())
                        .append(" last caught up ")
                        .append(nowMs - follower.lastCaughtUpMs())
                        .append(" ms ago");
            }
        }
        if (leavers.isEmpty()) {
            return;
        }
        List<Integer> wanted = new ArrayList<>(leader.isr().isr());
        wanted.removeAll(leavers);
        Proposal proposal = propose(wanted, why.toString(), nowMs);
        leader.isr(new IsrState.PendingShrink(leader.isr().isr(), leavers, proposal));
        effects.say(
                "shrinking ISR from %s to %s: high watermark %d, end %d, %s",
                leader.isr().isr(), wanted, log.highWatermark(), log.end(), why);
        effects.add(new Effect.SendAlter(proposal.number, proposal.request));
    }

    /** B1, rule 4: an ISR below min whose floor the controllers do not know, because the leader did not ask for it. */
    private void proposeReport(long nowMs, Effects effects) {
        if (!(leader.isr() instanceof IsrState.Committed)
                || !leader.underMinIsr()
                || leader.partition().floor().kind() != Floor.Kind.UNKNOWN
                || leader.partition().partitionEpoch() == reportedAt) {
            return;
        }
        Proposal report = propose(
                leader.isr().isr(),
                QuorumCommand.IsrProposal.Kind.REPORT,
                "below the min ISR, high watermark " + log.highWatermark(),
                nowMs);
        leader.isr(new IsrState.Reporting(leader.isr().isr(), report));
        effects.add(new Effect.SendAlter(report.number, report.request));
    }

    private Proposal propose(List<Integer> wanted, String reason, long nowMs) {
        return propose(wanted, QuorumCommand.IsrProposal.Kind.CHANGE, reason, nowMs);
    }

    private Proposal propose(List<Integer> wanted, QuorumCommand.IsrProposal.Kind kind, String reason, long nowMs) {
        if (wanted.size() < leader.partition().minIsr()) {
            mark.holdAt(proposals.floorOffset());
        }
        return proposals.make(wanted, kind, reason, nowMs);
    }

    /** R2.30-R2.34 with B3, B9, B19. */
    void alterAnswered(ReplicaEvent.AlterAnswered answer, long nowMs, Effects effects) {
        Proposal pending = leader.isr().proposal();
        if (pending == null || pending.number != answer.proposal()) {
            return;
        }
        if (answer.error() == ErrorCode.NONE) {
            if (answer.leaderEpoch() == leader.leaderEpoch()
                    && answer.partitionEpoch() >= leader.partition().partitionEpoch()) {
                if (leader.isr() instanceof IsrState.Reporting) {
                    reportedAt = answer.partitionEpoch();
                }
                pending.accepted(answer.index(), answer.partitionEpoch(), answer.isr());
                feedReached(appliedIndex, nowMs, effects);
            }
            return;
        }
        effects.say("the controller refused %s: %s", pending.request.reason(), answer.error());
        effects.add(new Effect.Happened(Effect.Happening.ISR_UPDATE_REFUSED));
        refusals.noted(pending.request, answer.error(), nowMs);
        switch (answer.error()) {
            case UNKNOWN_TOPIC_OR_PARTITION,
                    UNKNOWN_TOPIC_ID,
                    FENCED_LEADER_EPOCH,
                    INVALID_UPDATE_VERSION,
                    INVALID_REQUEST,
                    NEW_LEADER_ELECTED -> {
                // R2.32: newer metadata is on its way and will replace what is pending.
            }
            case INELIGIBLE_REPLICA -> refused(pending, nowMs, effects);
            default -> pending.resendAt(nowMs + settings.alterRetryMs());
        }
    }

    /** R2.33: nothing was applied; but only if no other attempt is still under way may the joiners be let go (B9, B19). */
    private void refused(Proposal pending, long nowMs, Effects effects) {
        if (leader.isr() instanceof IsrState.PendingExpand expand) {
            for (int joiner : expand.joiners()) {
                refusals.bar(joiner, nowMs + settings.refusedRetryMs());
            }
            if (pending.everyAttemptAnswered()) {
                leader.isr(new IsrState.Committed(expand.isr()));
                // The mark may have waited for a joiner that can no longer hold it (R3.5, S5).
                mark.advance(nowMs, effects);
            } else {
                cancel(
                        expand.joiners(),
                        "cancels the refused expansion by " + expand.joiners() + ", an attempt of which is unanswered",
                        nowMs,
                        effects);
            }
        } else if (leader.isr() instanceof IsrState.PendingShrink shrink && mark.held()) {
            // Only a higher PE lets the mark rise again.
            shrinkNotBeforeMs = nowMs + settings.refusedRetryMs();
            cancel(
                    List.of(),
                    "cancels the refused shrink by " + shrink.leavers() + ", which holds the mark",
                    nowMs,
                    effects);
        } else if (leader.isr() instanceof IsrState.PendingShrink && pending.everyAttemptAnswered()) {
            leader.isr(new IsrState.Committed(leader.isr().isr()));
            shrinkNotBeforeMs = nowMs + settings.refusedRetryMs();
        } else {
            pending.resendAt(nowMs + settings.refusedRetryMs());
        }
    }

    /** The committed ISR again, marked so that PE moves (B9); the joiners count until it has. */
    private void cancel(List<Integer> joiners, String reason, long nowMs, Effects effects) {
        Proposal cancel = propose(leader.isr().isr(), QuorumCommand.IsrProposal.Kind.CANCEL, reason, nowMs);
        leader.isr(new IsrState.Cancelling(leader.isr().isr(), joiners, cancel));
        effects.add(new Effect.SendAlter(cancel.number, cancel.request));
    }

    void alterUnknown(long proposal, long nowMs) {
        Proposal pending = leader.isr().proposal();
        if (pending != null && pending.number == proposal) {
            pending.outcomeUnknown(nowMs + settings.alterRetryMs());
        }
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
        return new LeaderExplainer(leader, mark, refusals).explain(lease.serves(nowMs), nowMs);
    }

    // ---- time ----

    void tick(long nowMs, Effects effects) {
        appends.expire(nowMs, effects);
        deletions.expire(nowMs, effects);
        proposeShrink(nowMs, effects);
        Proposal pending = leader.isr().proposal();
        if (pending != null && pending.resendAtMs() <= nowMs) {
            pending.sent();
            effects.add(new Effect.SendAlter(pending.number, pending.request));
        }
        // A replica that no longer keeps up stops holding the mark, and one that was refused may try again (O14, O21).
        mark.advance(nowMs, effects);
        proposeJoiners(nowMs, effects);
        proposeReport(nowMs, effects);
    }

    /** Earliest moment at which {@link #tick} has something to do; {@link Long#MAX_VALUE} if never. */
    long nextDeadlineMs(long nowMs) {
        long next = Math.min(appends.nextDeadlineMs(), deletions.nextDeadlineMs());
        for (FollowerProgress follower : leader.followers().values()) {
            if (follower.end() == log.end()) {
                continue;
            }
            long deadline = follower.lagDeadlineMs(settings.lagTimeMaxMs()) + 1;
            if (leader.isr() instanceof IsrState.Committed && leader.isr().isr().contains(follower.id)) {
                next = Math.min(next, Math.max(deadline, shrinkNotBeforeMs));
            } else if (!leader.isr().inMaximalIsr(follower.id) && log.highWatermark() < log.end() && deadline > nowMs) {
                // Once it no longer keeps up it stops holding the mark (O14).
                next = Math.min(next, deadline);
            }
        }
        next = Math.min(next, refusals.nextMs(nowMs));
        Proposal pending = leader.isr().proposal();
        return pending == null ? next : Math.min(next, pending.resendAtMs());
    }

    /** The leadership ends: nobody who waits can be told that the append will stand. */
    void resign(Effects effects) {
        appends.abandon(effects);
        deletions.abandon(effects);
    }
}
