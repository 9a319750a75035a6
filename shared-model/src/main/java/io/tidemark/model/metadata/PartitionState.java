package io.tidemark.model.metadata;

import io.tidemark.model.PartitionId;
import java.util.List;

/**
 * Committed metadata of one partition (the M{...} of the rules). Immutable.
 *
 * @param replicas assigned brokers in order of preference; the first is the preferred leader (R1.6)
 * @param isr committed in-sync replicas, in stored order; holds the leader whenever there is one (I11)
 * @param elr eligible leader replicas; disjoint from the ISR and, like it, a subset of the replicas (I5, B2)
 * @param lastKnownElr the leader at the moment the partition became leaderless, while it is so (R7.44), and replicas that
 *     lost their seat because their logs do not hold what the floor asks for, while |ISR| < minIsr (B1)
 * @param leader broker id, or -1
 * @param leaderEpoch LE: +1 exactly when a change carries a leader (R1.7)
 * @param partitionEpoch PE: +1 on every change (R1.7)
 * @param recovering set by an unclean election until the leader has declared itself recovered (R1.10)
 * @param adding those of the replicas that a reassignment under way has added; {@code removing} those that it will take
 *     away. Without them, both are empty (R7.60)
 * @param floor see {@link Floor}; none exactly when |ISR| >= minIsr
 * @param unproven reports of replicas that had a seat and are not known to hold what was exposed: those in the ELR wait
 *     for the floor, the others have lost their seat and are in {@code lastKnownElr} (B1)
 * @param minIsr effective min ISR, derived by the fold from topic and cluster config and the target replicas; never
 *     stored in records (B3)
 */
public record PartitionState(
        PartitionId id,
        List<Integer> replicas,
        List<Integer> isr,
        List<Integer> elr,
        List<Integer> lastKnownElr,
        int leader,
        int leaderEpoch,
        int partitionEpoch,
        boolean recovering,
        List<Integer> adding,
        List<Integer> removing,
        Floor floor,
        List<SeatReport> unproven,
        int minIsr) {

    public static final int NO_LEADER = -1;

    public PartitionState {
        replicas = List.copyOf(replicas);
        isr = List.copyOf(isr);
        elr = List.copyOf(elr);
        lastKnownElr = List.copyOf(lastKnownElr);
        adding = List.copyOf(adding);
        removing = List.copyOf(removing);
        unproven = List.copyOf(unproven);
    }

    /** A new partition: LE 0, PE 0, recovered, empty ELR (R7.46, R7.80). */
    public static PartitionState created(PartitionId id, List<Integer> replicas, List<Integer> isr, int leader) {
        return new PartitionState(
                id,
                replicas,
                isr,
                List.of(),
                List.of(),
                leader,
                0,
                0,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                0);
    }

    public boolean hasLeader() {
        return leader != NO_LEADER;
    }

    /** Whether the replicas are being changed to others (R7.60). */
    public boolean reassigning() {
        return !adding.isEmpty() || !removing.isEmpty();
    }

    /** How many replicas the partition has, or will have when those that are being removed are gone. */
    public int targetReplicas() {
        return replicas.size() - removing.size();
    }

    public boolean underMinIsr() {
        return isr.size() < minIsr;
    }

    /** What is known of that replica's log, if it is not known to hold what was exposed; else null. */
    public SeatReport report(int broker) {
        for (SeatReport report : unproven) {
            if (report.brokerId() == broker) {
                return report;
            }
        }
        return null;
    }

    /** Whether that replica has a seat in the ELR that waits for the floor: it may not be elected (B1). */
    public boolean waitsForFloor(int broker) {
        return elr.contains(broker) && report(broker) != null;
    }

    /** The seats of the ELR whose holders may be elected. */
    public List<Integer> eligible() {
        return unproven.isEmpty()
                ? elr
                : elr.stream().filter(seat -> !waitsForFloor(seat)).toList();
    }

    /** The seats of the ELR that wait for the floor. */
    public List<Integer> waiting() {
        return unproven.isEmpty()
                ? List.of()
                : elr.stream().filter(this::waitsForFloor).toList();
    }

    /** The state after {@code change}: PE + 1, LE + 1 if it names a leader; its min ISR is kept for the fold to set. */
    public PartitionState with(MetadataRecord.PartitionChanged change) {
        return new PartitionState(
                id,
                orElse(change.replicas(), replicas),
                orElse(change.isr(), isr),
                orElse(change.elr(), elr),
                orElse(change.lastKnownElr(), lastKnownElr),
                orElse(change.leader(), leader),
                change.leader() == null ? leaderEpoch : leaderEpoch + 1,
                partitionEpoch + 1,
                orElse(change.recovering(), recovering),
                orElse(change.adding(), adding),
                orElse(change.removing(), removing),
                orElse(change.floor(), floor),
                orElse(change.unproven(), unproven),
                minIsr);
    }

    /** With that effective min ISR, and the floor that goes with it (B1 rule 1). */
    PartitionState withMinIsr(int value) {
        Floor kept = isr.size() >= value ? Floor.NONE : floor.kind() == Floor.Kind.NONE ? Floor.UNKNOWN : floor;
        return value == minIsr && kept.equals(floor)
                ? this
                : new PartitionState(
                        id,
                        replicas,
                        isr,
                        elr,
                        lastKnownElr,
                        leader,
                        leaderEpoch,
                        partitionEpoch,
                        recovering,
                        adding,
                        removing,
                        kept,
                        unproven,
                        value);
    }

    /**
     * A change of the effective min ISR is a change of the partition: PE + 1, ELR and unproven seats empty (B3, B1 rule 8).
     * Not so while the ISR is empty, when it would leave nobody to wait for and protect nobody: such an ISR is below both
     * the old min and the new one. No leader acts on it, so nothing is exposed by either; whoever led before is bound by the
     * states before, whose min and seats do not change; and who leads next has a proven seat, hence all that was
     * exposed, and acts on the new min from its first moment. So seats and floor say what they said.
     */
    PartitionState minIsrChanged(int value) {
        boolean waits = isr.isEmpty();
        return new PartitionState(
                        id,
                        replicas,
                        isr,
                        waits ? elr : List.of(),
                        hasLeader() ? List.of() : lastKnownElr,
                        leader,
                        leaderEpoch,
                        partitionEpoch + 1,
                        recovering,
                        adding,
                        removing,
                        waits ? floor : Floor.NONE,
                        waits ? unproven : List.of(),
                        value)
                .withMinIsr(value);
    }

    private static <T> T orElse(T changed, T unchanged) {
        return changed == null ? unchanged : changed;
    }

    @Override
    public String toString() {
        return "M{L=" + leader + " LE=" + leaderEpoch + " PE=" + partitionEpoch + " ISR=" + isr + " ELR=" + elr
                + " LKE=" + lastKnownElr + (waiting().isEmpty() ? "" : " UNPROVEN=" + waiting())
                + (recovering ? " RECOVERING" : "") + "}";
    }
}
