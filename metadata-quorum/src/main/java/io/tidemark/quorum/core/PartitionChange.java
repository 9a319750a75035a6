package io.tidemark.quorum.core;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The one place that turns a wish about a partition into at most one record (R7.40).
 *
 * <p>Order: the wished ISR without strangers (B2), the end of a reassignment if its conditions are met (R7.63), the seats
 * that go with it (R7.41), the election, the seats once more for the ISR after the election (B21), the leader named
 * again if a replica leaves (R7.63), the last-known ELR (R7.44), the assignment, the recovery state, the floor (B1). A field that would
 * not change is not named, and a record that would name none is not built.
 */
final class PartitionChange {
    private final PartitionState before;
    private final IntPredicate acceptable;
    private LeaderElection.Mode mode = LeaderElection.Mode.ONLINE;
    private List<Integer> targetIsr;
    private Assignment target;
    private int minIsr;
    private final Seats seats;
    private Floor floor;
    private boolean recovering;
    private boolean always;

    /** Replicas in order of preference, and which of them are about to be added and removed. */
    record Assignment(List<Integer> replicas, List<Integer> adding, List<Integer> removing) {
        static Assignment of(PartitionState state) {
            return new Assignment(state.replicas(), state.adding(), state.removing());
        }

        /** How many replicas there will be. */
        int size() {
            return replicas.size() - removing.size();
        }

        /**
         * The assignment without those that leave, if nothing is waited for any more: somebody in sync stays, all that
         * were added are in sync and, if fewer come than go, so are all others that stay (R7.63). Else this one.
         */
        Assignment completed(List<Integer> isr) {
            List<Integer> staying = without(replicas, removing);
            List<Integer> inSync = without(isr, removing);
            boolean done = !inSync.isEmpty()
                    && inSync.containsAll(adding)
                    && (adding.size() >= removing.size() || inSync.containsAll(staying));
            return done ? new Assignment(staying, List.of(), List.of()) : this;
        }
    }

    /** @param acceptable the brokers that may lead, as the decision at hand sees them (R7.30) */
    PartitionChange(PartitionState before, IntPredicate acceptable) {
        this.before = before;
        this.acceptable = acceptable;
        this.targetIsr = before.isr();
        this.target = Assignment.of(before);
        this.minIsr = before.minIsr();
        this.recovering = before.recovering();
        this.seats = new Seats(before);
    }

    PartitionChange mode(LeaderElection.Mode value) {
        mode = value;
        return this;
    }

    PartitionChange targetIsr(List<Integer> value) {
        targetIsr = value;
        return this;
    }

    /** The ISR as it is, without these. */
    PartitionChange leavingIsr(Set<Integer> brokers) {
        return targetIsr(without(before.isr(), brokers));
    }

    /** Brokers that will not come back: they have no seat, and nobody waits for them (R7.5). */
    PartitionChange forgetting(Set<Integer> brokers) {
        seats.forget(brokers);
        return this;
    }

    /** A new incarnation: it leaves the ISR, and its seat is judged (R7.45, B1). */
    PartitionChange returned(SeatReport report, boolean intact) {
        seats.returned(report, intact);
        return leavingIsr(Set.of(report.brokerId()));
    }

    /** What the leader says of the exposed prefix (B1, rule 2); counts only while the ISR is below min afterwards. */
    PartitionChange floor(Floor value) {
        floor = value;
        seats.floor(value);
        return this;
    }

    /** @param effectiveMinIsr with that assignment (B3) */
    PartitionChange assignment(Assignment value, int effectiveMinIsr) {
        target = value;
        minIsr = effectiveMinIsr;
        return this;
    }

    PartitionChange recovering(boolean value) {
        recovering = value;
        return this;
    }

    /** A record even if it names no field, for the sake of its PE (R7.53). */
    PartitionChange always() {
        always = true;
        return this;
    }

    Optional<PartitionChanged> build() {
        List<Integer> isr =
                targetIsr.stream().filter(target.replicas()::contains).toList();
        Assignment after = target.completed(isr);
        isr = isr.stream().filter(after.replicas()::contains).toList();
        Seats.Beside beside = seats.beside(isr, after.replicas(), minIsr);
        LeaderElection.Outcome elected =
                LeaderElection.elect(mode, after.replicas(), isr, beside, before.leader(), acceptable);
        boolean seatless = elected.leader() != PartitionState.NO_LEADER && !isr.contains(elected.leader());
        if (seatless) {
            isr = List.of(elected.leader()); // R7.37 from the ELR, R7.38 unclean
        }
        beside = elected.unclean() ? Seats.Beside.NONE : seats.beside(isr, after.replicas(), minIsr);
        boolean replicaLeaves = !after.replicas().containsAll(before.replicas());
        boolean namesLeader = elected.leader() != before.leader() || elected.unclean() || replicaLeaves;
        boolean nowRecovering = recovering || elected.unclean();
        List<Integer> lastKnown = lastKnown(elected.leader(), after.replicas(), beside.lost());
        PartitionChanged change = new PartitionChanged(
                before.id(),
                namesLeader ? elected.leader() : null,
                sameMembers(isr, before.isr()) ? null : isr,
                sameMembers(beside.elr(), before.elr()) ? null : beside.elr(),
                lastKnown.equals(before.lastKnownElr()) ? null : lastKnown,
                nowRecovering == before.recovering() ? null : nowRecovering,
                after.replicas().equals(before.replicas()) ? null : after.replicas(),
                sameMembers(after.adding(), before.adding()) ? null : after.adding(),
                sameMembers(after.removing(), before.removing()) ? null : after.removing(),
                floorAfter(isr, elected.unclean()),
                beside.reports().equals(before.unproven()) ? null : beside.reports());
        return always || namesAField(change) ? Optional.of(change) : Optional.empty();
    }

    /**
     * R7.44: the leader that a partition lost, for as long as it has none; behind it those whose seats were lost (B1). Who is
     * no replica any more is forgotten (B2).
     */
    private List<Integer> lastKnown(int leader, List<Integer> replicas, List<Integer> lost) {
        List<Integer> lastKnown = new ArrayList<>();
        if (leader == PartitionState.NO_LEADER) {
            lastKnown.addAll(before.hasLeader() ? List.of(before.leader()) : before.lastKnownElr());
            lastKnown.removeIf(broker -> !replicas.contains(broker) || (lostBefore(broker) && !lost.contains(broker)));
        }
        lost.stream().filter(broker -> !lastKnown.contains(broker)).forEach(lastKnown::add);
        return lastKnown;
    }

    private boolean lostBefore(int broker) {
        return before.report(broker) != null && !before.elr().contains(broker);
    }

    /**
     * The floor, if this change is what sets it; at or above min there is none, and the fold takes care of that as it does
     * of a period below min that begins with this change. An unclean winner may expose other records than those that the
     * floor bounded, and says so itself.
     */
    private Floor floorAfter(List<Integer> isr, boolean unclean) {
        if (isr.size() >= minIsr) {
            return null;
        }
        Floor unbounded = before.floor().kind() == Floor.Kind.KNOWN ? Floor.UNKNOWN : null;
        Floor after = unclean ? unbounded : floor;
        return after == null || after.equals(before.floor()) ? null : after;
    }

    private static boolean namesAField(PartitionChanged change) {
        return change.leader() != null
                || change.isr() != null
                || change.elr() != null
                || change.lastKnownElr() != null
                || change.recovering() != null
                || change.replicas() != null
                || change.adding() != null
                || change.removing() != null
                || change.floor() != null
                || change.unproven() != null;
    }

    private static boolean sameMembers(List<Integer> left, List<Integer> right) {
        return left.equals(right)
                || (left.size() == right.size() && left.containsAll(right) && right.containsAll(left));
    }

    static List<Integer> without(List<Integer> members, Collection<Integer> leaving) {
        List<Integer> staying = new ArrayList<>(members);
        staying.removeAll(leaving);
        return staying;
    }
}
