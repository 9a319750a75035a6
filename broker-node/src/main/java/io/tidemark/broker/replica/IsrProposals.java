package io.tidemark.broker.replica;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.List;

/**
 * What the leader of one epoch asks the controllers to make of the ISR, one change at a time, and what becomes of it: moves
 * through the states at {@link IsrState}.
 */
final class IsrProposals {
    private final LeaderState leader;
    private final ReplicaSettings settings;
    private final LogView log;
    private final LeaderHighWatermark mark;
    private final Refusals refusals = new Refusals();
    private final ProposalMaker proposals;
    /** Of the image that this leader has heard of. */
    private long appliedIndex;
    /** PE that an accepted report led to; a controller that keeps no floor is not told twice. */
    private int reportedAt = -1;
    /** A refused shrink is not proposed again before this moment; monotonic milliseconds. */
    private long shrinkNotBeforeMs = FollowerProgress.NEVER;

    IsrProposals(LeaderState leader, LeaderHighWatermark mark, long appliedIndex) {
        this.leader = leader;
        this.settings = leader.settings();
        this.log = leader.log();
        this.mark = mark;
        this.proposals = new ProposalMaker(leader);
        this.appliedIndex = appliedIndex;
    }

    /** What the controllers refused. */
    Refusals refusals() {
        return refusals;
    }

    /** Who may join may have changed. */
    void eligibilityChanged() {
        refusals.clear();
    }

    /** B3: an accepted change takes effect only once the image has reached it. */
    void feedReached(long index) {
        appliedIndex = Math.max(appliedIndex, index);
        Proposal pending = leader.isr().proposal();
        if (pending != null
                && pending.acceptedBy(appliedIndex)
                && pending.acceptedPartitionEpoch() == leader.partition().partitionEpoch()) {
            // The controller found nothing to change (R7.53); a higher PE comes as metadata.
            leader.isr(new IsrState.Committed(pending.acceptedIsr()));
        }
    }

    // ---- what is asked ----

    /**
     * R2.11 in its order, for every replica at once: several may join in one expansion (B9, O10). Outside a fetch (B14)
     * only those are looked at that still fetch.
     */
    void proposeJoiners(long nowMs, Effects effects) {
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
        send(proposal, effects);
    }

    /** R2.17, R2.18 at the members' own deadlines (B7). */
    void proposeShrink(long nowMs, Effects effects) {
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
        send(proposal, effects);
    }

    /** B1, rule 4: an ISR below min whose floor the controllers do not know, because the leader did not ask for it. */
    void proposeReport(long nowMs, Effects effects) {
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
        send(report, effects);
    }

    /** The committed ISR again, marked so that PE moves (B9); the joiners count until it has. */
    private void cancel(List<Integer> joiners, String reason, long nowMs, Effects effects) {
        Proposal cancel = propose(leader.isr().isr(), QuorumCommand.IsrProposal.Kind.CANCEL, reason, nowMs);
        leader.isr(new IsrState.Cancelling(leader.isr().isr(), joiners, cancel));
        send(cancel, effects);
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

    private static void send(Proposal proposal, Effects effects) {
        effects.add(new Effect.SendAlter(proposal.number, proposal.request));
    }

    // ---- what becomes of it ----

    /**
     * R2.30-R2.34 with B3, B9, B19.
     *
     * @return whether the controllers accepted what is pending; it may have taken effect, if the image is that far
     */
    boolean answered(ReplicaEvent.AlterAnswered answer, long nowMs, Effects effects) {
        Proposal pending = leader.isr().proposal();
        if (pending == null || pending.number != answer.proposal()) {
            return false;
        }
        if (answer.error() == ErrorCode.NONE) {
            return accepted(pending, answer);
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
        return false;
    }

    private boolean accepted(Proposal pending, ReplicaEvent.AlterAnswered answer) {
        if (answer.leaderEpoch() != leader.leaderEpoch()
                || answer.partitionEpoch() < leader.partition().partitionEpoch()) {
            return false;
        }
        if (leader.isr() instanceof IsrState.Reporting) {
            reportedAt = answer.partitionEpoch();
        }
        pending.accepted(answer.index(), answer.partitionEpoch(), answer.isr());
        feedReached(appliedIndex);
        return true;
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

    /** B9: an attempt ended without an answer, and may still take effect. */
    void outcomeUnknown(long proposal, long nowMs) {
        Proposal pending = leader.isr().proposal();
        if (pending != null && pending.number == proposal) {
            pending.outcomeUnknown(nowMs + settings.alterRetryMs());
        }
    }

    // ---- time ----

    /** Sends what is pending again if that is due. */
    void resend(long nowMs, Effects effects) {
        Proposal pending = leader.isr().proposal();
        if (pending != null && pending.resendAtMs() <= nowMs) {
            pending.sent();
            send(pending, effects);
        }
    }

    /** When something is to be proposed or sent again, or a follower stops keeping up; {@link Long#MAX_VALUE} if never. */
    long nextDeadlineMs(long nowMs) {
        long next = refusals.nextMs(nowMs);
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
        Proposal pending = leader.isr().proposal();
        return pending == null ? next : Math.min(next, pending.resendAtMs());
    }
}
