package io.tidemark.broker.drill.judge;

import java.util.List;

/**
 * A partition at one moment.
 *
 * @param leader -1: none
 * @param leaderEpoch -1: not known
 */
public record PartitionStateView(
        int leader, int leaderEpoch, List<Integer> replicas, List<Integer> isr, List<Integer> elr) {
    public PartitionStateView {
        replicas = List.copyOf(replicas);
        isr = List.copyOf(isr);
        elr = List.copyOf(elr);
    }

    /** Whether who leads or who is in sync is another; the order of an ISR means nothing. */
    public boolean differsFrom(PartitionStateView other) {
        return leader != other.leader || isr.size() != other.isr.size() || !isr.containsAll(other.isr);
    }

    /** In a few words. */
    public String words() {
        return "leader " + (leader < 0 ? "none" : leader) + ", ISR " + isr + (elr.isEmpty() ? "" : ", ELR " + elr);
    }
}
