package io.tidemark.broker.drill;

import java.util.List;
import java.util.OptionalInt;

/**
 * A partition as the cluster describes it to any client.
 *
 * @param leader node id; -1 without one
 * @param leaderEpoch empty where nobody could be asked
 */
public record PartitionView(
        int leader, OptionalInt leaderEpoch, List<Integer> replicas, List<Integer> isr, List<Integer> elr) {
    /** Whether it has a leader and every replica is in the ISR. */
    public boolean isFullyInSync() {
        return leader >= 0 && isr.size() == replicas.size();
    }

    @Override
    public String toString() {
        return "leader " + (leader < 0 ? "none" : leader)
                + ", leader epoch " + (leaderEpoch.isPresent() ? leaderEpoch.getAsInt() : "unknown")
                + ", ISR " + isr + ", ELR " + elr;
    }
}
