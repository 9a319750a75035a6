package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.ElectLeaders;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Rows.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Elections that somebody asks for, partition by partition; an unclean one needs no configuration (R7.70). */
final class RequestedElections {
    private RequestedElections() {}

    static Decision decide(ClusterImage image, ElectLeaders command) {
        List<MetadataRecord> records = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        Set<PartitionId> seen = new HashSet<>();
        for (PartitionId id : command.partitions()) {
            PartitionState state = image.partition(id);
            if (!seen.add(id)) {
                rows.add(new Row(ErrorCode.INVALID_REQUEST, "the partition is named twice"));
            } else if (state == null) {
                rows.add(new Row(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "there is no such partition"));
            } else if (command.unclean() ? state.hasLeader() : prefers(state, state.leader())) {
                rows.add(new Row(ErrorCode.ELECTION_NOT_NEEDED, "the partition is led by broker " + state.leader()));
            } else {
                Optional<PartitionChanged> change = new PartitionChange(
                                state, broker -> PartitionMoves.active(image, broker))
                        .mode(command.unclean() ? LeaderElection.Mode.AGGRESSIVE : LeaderElection.Mode.PREFERRED)
                        .build();
                change.ifPresent(records::add);
                rows.add(change.isPresent() ? Row.DONE : nobody(command.unclean()));
            }
        }
        return Decision.of(records, new QuorumReply.Rows(rows), Causes.client("ElectLeaders", command.client()));
    }

    private static boolean prefers(PartitionState state, int leader) {
        return state.replicas().get(0) == leader;
    }

    private static Row nobody(boolean unclean) {
        return unclean
                ? new Row(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, "no replica of the partition is there")
                : new Row(
                        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
                        "the first replica of the partition is not there or not in sync");
    }
}
