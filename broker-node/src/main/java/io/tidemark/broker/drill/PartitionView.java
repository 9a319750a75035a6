package io.tidemark.broker.drill;

import java.util.List;
import java.util.OptionalInt;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * A partition as the cluster describes it to any client.
 *
 * @param leader node id; -1 without one
 * @param leaderEpoch empty where nobody could be asked
 */
public record PartitionView(
        int leader, OptionalInt leaderEpoch, List<Integer> replicas, List<Integer> isr, List<Integer> elr) {
    /** What a description says, with an epoch that it does not tell. */
    public static PartitionView of(TopicPartitionInfo info, OptionalInt epoch) {
        Node leader = info.leader();
        return new PartitionView(
                leader == null || leader.isEmpty() ? -1 : leader.id(),
                epoch,
                ids(info.replicas()),
                ids(info.isr()),
                info.elr() == null ? List.of() : ids(info.elr()));
    }

    private static List<Integer> ids(List<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

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
