package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import java.util.HashSet;
import java.util.List;

/** Replica lists that somebody chose, and the first state of a partition that has such a list (R7.80, R7.81). */
final class ReplicaLists {
    private ReplicaLists() {}

    /** What is wrong with the lists in themselves, or null: they are not empty, all as long, and name nobody twice. */
    static Problem problem(List<List<Integer>> lists) {
        for (List<Integer> replicas : lists) {
            if (replicas.isEmpty()) {
                return invalid("a partition without replicas");
            }
            if (new HashSet<>(replicas).size() != replicas.size()) {
                return invalid("a replica is named twice in " + replicas);
            }
            if (replicas.size() != lists.get(0).size()) {
                return invalid("all partitions must have the same number of replicas");
            }
        }
        return null;
    }

    /** What is wrong with them in this cluster, or null: all are registered, and every partition has somebody to lead it. */
    static Problem problem(ClusterImage image, List<List<Integer>> lists) {
        for (List<Integer> replicas : lists) {
            for (int replica : replicas) {
                if (image.broker(replica) == null) {
                    return invalid("broker " + replica + " is not registered");
                }
            }
            if (replicas.stream().noneMatch(replica -> PartitionMoves.active(image, replica))) {
                return invalid("all brokers of " + replicas + " are fenced or shutting down");
            }
        }
        return null;
    }

    /** The ISR is who is active, the leader the first of them; one at least is. */
    static PartitionState firstState(ClusterImage image, PartitionId id, List<Integer> replicas) {
        List<Integer> isr = replicas.stream()
                .filter(replica -> PartitionMoves.active(image, replica))
                .toList();
        return PartitionState.created(id, replicas, isr, isr.get(0));
    }

    static Problem invalid(String message) {
        return new Problem(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message);
    }
}
