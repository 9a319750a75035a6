package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.AlterReassignments;
import io.tidemark.model.metadata.QuorumCommand.Reassignment;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Rows.Row;
import io.tidemark.quorum.core.PartitionChange.Assignment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Other replicas for partitions, row by row (R7.60-R7.62). The replicas become the target and, behind it, those that leave;
 * they leave when what was added is in sync ({@link PartitionChange}, R7.63).
 */
final class Reassignments {
    private final ClusterImage image;
    private final boolean allowReplicationFactorChange;
    private final List<MetadataRecord> records = new ArrayList<>();

    private Reassignments(ClusterImage image, boolean allowReplicationFactorChange) {
        this.image = image;
        this.allowReplicationFactorChange = allowReplicationFactorChange;
    }

    static Decision decide(ClusterImage image, AlterReassignments command) {
        Reassignments reassignments = new Reassignments(image, command.allowReplicationFactorChange());
        List<Row> rows = new ArrayList<>();
        Set<PartitionId> seen = new HashSet<>();
        for (Reassignment wanted : command.partitions()) {
            PartitionState state = image.partition(wanted.id());
            Problem problem;
            if (!seen.add(wanted.id())) {
                problem = new Problem(ErrorCode.INVALID_REQUEST, "the partition is named twice");
            } else if (state == null) {
                problem = new Problem(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "there is no such partition");
            } else {
                problem = wanted.target() == null
                        ? reassignments.cancel(state)
                        : reassignments.alter(state, wanted.target());
            }
            rows.add(problem == null ? Row.DONE : new Row(problem.error(), problem.message()));
        }
        return Decision.of(
                reassignments.records,
                new QuorumReply.Rows(rows),
                Causes.client("AlterReassignments", command.client()));
    }

    /** R7.60, R7.61. */
    private Problem alter(PartitionState state, List<Integer> target) {
        Problem problem = problem(state, target);
        if (problem != null) {
            return problem;
        }
        Set<Integer> adding = new TreeSet<>(target);
        adding.removeIf(
                replica -> state.replicas().contains(replica) && !state.adding().contains(replica));
        Set<Integer> removing = new TreeSet<>(state.replicas());
        target.forEach(removing::remove);
        List<Integer> replicas = new ArrayList<>(target);
        replicas.addAll(removing);
        change(state, new Assignment(replicas, List.copyOf(adding), List.copyOf(removing)))
                .build()
                .ifPresent(records::add);
        return null;
    }

    private Problem problem(PartitionState state, List<Integer> target) {
        Problem list = ReplicaLists.problem(List.of(target));
        if (list != null) {
            return list;
        }
        for (int replica : target) {
            if (image.broker(replica) == null) {
                return ReplicaLists.invalid("broker " + replica + " is not registered");
            }
        }
        return allowReplicationFactorChange || target.size() == state.targetReplicas()
                ? null
                : new Problem(
                        ErrorCode.INVALID_REPLICATION_FACTOR,
                        "The replication factor is changed from " + state.targetReplicas() + " to " + target.size());
    }

    /** R7.62: what was being added goes again. Refused if then nobody known to hold every record would be left. */
    private Problem cancel(PartitionState state) {
        if (!state.reassigning()) {
            return new Problem(
                    ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "the replicas of the partition are not being changed");
        }
        List<Integer> isr = PartitionChange.without(state.isr(), state.adding());
        LeaderElection.Mode mode = RecoveryStrategy.of(image, state.id());
        boolean empties = isr.isEmpty() && !state.isr().isEmpty();
        boolean nobodyWaited =
                PartitionChange.without(state.elr(), state.adding()).isEmpty();
        if (isr.isEmpty() && (empties || nobodyWaited) && mode != LeaderElection.Mode.AGGRESSIVE) {
            return ReplicaLists.invalid("only replicas that were being added are in sync, and "
                    + RecoveryStrategy.UNCLEAN_KEY + " is false");
        }
        Assignment former =
                new Assignment(PartitionChange.without(state.replicas(), state.adding()), List.of(), List.of());
        change(state, former).targetIsr(isr).mode(mode).build().ifPresent(records::add);
        return null;
    }

    private PartitionChange change(PartitionState state, Assignment assignment) {
        String topic = image.topic(state.id().topicId()).name();
        return new PartitionChange(state, broker -> PartitionMoves.active(image, broker))
                .assignment(assignment, image.effectiveMinIsr(topic, assignment.size()));
    }
}
