package io.tidemark.quorum.core;

import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The one place that turns a wish about a partition into at most one record (R7.40).
 *
 * <p>Order: the wished ISR without strangers (B2), the ELR that goes with it (R7.41), the election, the ELR once more for
 * the ISR after the election (B21), the last-known leader (R7.44), the recovery state. A field that would not change is
 * not named, and a record that would name none is not built.
 */
final class PartitionChange {
    private final PartitionState before;
    private final IntPredicate acceptable;
    private LeaderElection.Mode mode = LeaderElection.Mode.ONLINE;
    private List<Integer> targetIsr;
    private Set<Integer> unclean = Set.of();
    private boolean recovering;
    private boolean always;

    /** @param acceptable the brokers that may lead, as the decision at hand sees them (R7.30) */
    PartitionChange(PartitionState before, IntPredicate acceptable) {
        this.before = before;
        this.acceptable = acceptable;
        this.targetIsr = before.isr();
        this.recovering = before.recovering();
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

    /** Replicas whose logs may have lost what they held: they lose their seat in the ELR too (R7.45). */
    PartitionChange unclean(Set<Integer> brokers) {
        unclean = brokers;
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
                targetIsr.stream().filter(before.replicas()::contains).toList();
        LeaderElection.Outcome elected =
                LeaderElection.elect(mode, before.replicas(), isr, elrBeside(isr), before.leader(), acceptable);
        boolean seatless = elected.leader() != PartitionState.NO_LEADER && !isr.contains(elected.leader());
        if (seatless) {
            isr = List.of(elected.leader()); // R7.37 from the ELR, R7.38 unclean
        }
        List<Integer> elr = elected.unclean() ? List.of() : elrBeside(isr);
        boolean newLeader = elected.leader() != before.leader() || elected.unclean();
        boolean nowRecovering = recovering || elected.unclean();
        boolean sameIsr = sameMembers(isr, before.isr());
        List<Integer> lastKnown = lastKnown(elected.leader());
        PartitionChanged change = new PartitionChanged(
                before.id(),
                newLeader ? elected.leader() : null,
                sameIsr ? null : isr,
                sameMembers(elr, before.elr()) ? null : elr,
                lastKnown.equals(before.lastKnownElr()) ? null : lastKnown,
                nowRecovering == before.recovering() ? null : nowRecovering,
                null,
                null,
                null,
                null,
                null);
        return always || namesAField(change) ? Optional.of(change) : Optional.empty();
    }

    /** R7.41, R7.42: who held all of the exposed prefix, as long as the ISR is below min; in replica order (B2). */
    private List<Integer> elrBeside(List<Integer> isr) {
        if (isr.size() >= before.minIsr()) {
            return List.of();
        }
        List<Integer> elr = new ArrayList<>();
        for (int replica : before.replicas()) {
            boolean seated = before.isr().contains(replica) || before.elr().contains(replica);
            if (seated && !isr.contains(replica) && !unclean.contains(replica)) {
                elr.add(replica);
            }
        }
        return elr;
    }

    /** R7.44: the leader that a partition lost, for as long as it has none. */
    private List<Integer> lastKnown(int leader) {
        if (leader != PartitionState.NO_LEADER) {
            return List.of();
        }
        return before.hasLeader() && before.lastKnownElr().isEmpty() ? List.of(before.leader()) : before.lastKnownElr();
    }

    private static boolean namesAField(PartitionChanged change) {
        return change.leader() != null
                || change.isr() != null
                || change.elr() != null
                || change.lastKnownElr() != null
                || change.recovering() != null;
    }

    private static boolean sameMembers(List<Integer> left, List<Integer> right) {
        return left.equals(right)
                || (left.size() == right.size() && left.containsAll(right) && right.containsAll(left));
    }

    private static List<Integer> without(List<Integer> members, Set<Integer> leaving) {
        List<Integer> staying = new ArrayList<>(members);
        staying.removeAll(leaving);
        return staying;
    }
}
