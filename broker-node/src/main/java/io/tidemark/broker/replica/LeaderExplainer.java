package io.tidemark.broker.replica;

import java.util.ArrayList;
import java.util.List;

/**
 * Puts what a leader knows into words that do not change with it (B11): a pure look, which applies the rules the leader
 * itself applies.
 */
record LeaderExplainer(LeaderState leader, LeaderHighWatermark highWatermark, Refusals refusals) {

    Explanation.Leadership explain(boolean servesClients, long nowMs) {
        List<Explanation.Follower> told = new ArrayList<>();
        for (FollowerProgress follower : leader.followers().values()) {
            told.add(follower(follower, nowMs));
        }
        return new Explanation.Leadership(
                leader.epochStart(),
                leader.isr().isr(),
                servesClients,
                mark(nowMs),
                told,
                pending(nowMs),
                refusals.last(nowMs));
    }

    private Explanation.Mark mark(long nowMs) {
        if (leader.log().highWatermark() == leader.log().end()) {
            return new Explanation.Mark(Explanation.Hold.NOTHING, Explanation.NEVER_MS, List.of());
        }
        long stands = nowMs - highWatermark.sinceMs();
        if (leader.underMinIsr()) {
            return new Explanation.Mark(Explanation.Hold.BELOW_MIN_ISR, stands, List.of());
        }
        if (highWatermark.atCap()) {
            return new Explanation.Mark(Explanation.Hold.REPORTED, stands, List.of());
        }
        return new Explanation.Mark(Explanation.Hold.FOLLOWER, stands, furthestBehind(nowMs));
    }

    /** Of those that hold the mark; several if they are at the same offset. */
    private List<Integer> furthestBehind(long nowMs) {
        long least = Long.MAX_VALUE;
        List<Integer> ids = new ArrayList<>();
        for (FollowerProgress follower : leader.followers().values()) {
            if (!leader.holdsMark(follower, nowMs)
                    || follower.end() >= leader.log().end()
                    || follower.end() > least) {
                continue;
            }
            if (follower.end() < least) {
                ids.clear();
                least = follower.end();
            }
            ids.add(follower.id);
        }
        return ids;
    }

    private Explanation.Follower follower(FollowerProgress follower, long nowMs) {
        boolean member = leader.isr().isr().contains(follower.id);
        boolean behind = follower.end() != leader.log().end();
        return new Explanation.Follower(
                follower.id,
                member,
                leader.holdsMark(follower, nowMs),
                follower.end(),
                ago(caughtUpMs(follower), nowMs),
                follower.session() == null
                        ? Explanation.NEVER_MS
                        : ago(follower.session().lastFetchMs(), nowMs),
                member ? Explanation.Absence.NONE : absence(follower, nowMs),
                member && behind ? follower.lagDeadlineMs(leader.settings().lagTimeMaxMs()) - nowMs : Long.MAX_VALUE,
                refusals.barredForMs(follower.id, nowMs));
    }

    /** One that is at the end was caught up when its session last fetched (B14). */
    private long caughtUpMs(FollowerProgress follower) {
        boolean idle = follower.end() == leader.log().end() && follower.session() != null;
        return idle ? Math.max(follower.lastCaughtUpMs(), follower.session().lastFetchMs()) : follower.lastCaughtUpMs();
    }

    private static long ago(long momentMs, long nowMs) {
        return momentMs == FollowerProgress.NEVER ? Explanation.NEVER_MS : Math.max(0, nowMs - momentMs);
    }

    private Explanation.Absence absence(FollowerProgress follower, long nowMs) {
        if (leader.isr().inMaximalIsr(follower.id)) {
            return Explanation.Absence.JOINING;
        }
        Explanation.Absence obstacle = leader.obstacle(follower, refusals, nowMs);
        if (obstacle != Explanation.Absence.NONE) {
            return obstacle;
        }
        return leader.isr().proposal() == null
                ? Explanation.Absence.ABOUT_TO_JOIN
                : Explanation.Absence.OTHER_CHANGE_FIRST;
    }

    private Explanation.Pending pending(long nowMs) {
        Proposal proposal = leader.isr().proposal();
        if (proposal == null) {
            return null;
        }
        return new Explanation.Pending(
                change(),
                concerned(),
                Proposal.members(proposal.request),
                proposal.request.reason(),
                nowMs - proposal.madeMs,
                proposal.accepted(),
                !proposal.everyAttemptAnswered(),
                proposal.resendAtMs() == Long.MAX_VALUE
                        ? Explanation.NEVER_MS
                        : Math.max(0, proposal.resendAtMs() - nowMs));
    }

    private Explanation.Change change() {
        if (leader.isr() instanceof IsrState.PendingExpand) {
            return Explanation.Change.EXPAND;
        } else if (leader.isr() instanceof IsrState.PendingShrink) {
            return Explanation.Change.SHRINK;
        }
        return leader.isr() instanceof IsrState.Reporting ? Explanation.Change.REPORT : Explanation.Change.CANCEL;
    }

    private List<Integer> concerned() {
        if (leader.isr() instanceof IsrState.PendingExpand expand) {
            return expand.joiners();
        } else if (leader.isr() instanceof IsrState.PendingShrink shrink) {
            return shrink.leavers();
        }
        return leader.isr() instanceof IsrState.Cancelling cancelling ? cancelling.joiners() : List.of();
    }
}
