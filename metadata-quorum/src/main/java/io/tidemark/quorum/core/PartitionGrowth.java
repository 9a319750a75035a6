package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.PartitionCreated;
import io.tidemark.model.metadata.QuorumCommand.CreatePartitions;
import io.tidemark.model.metadata.QuorumCommand.Growth;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Topics;
import io.tidemark.model.metadata.TopicState;
import io.tidemark.quorum.core.StatelessChecks.TopicRows;
import java.util.ArrayList;
import java.util.List;

/** More partitions for topics that exist, with as many replicas as their first one has (R7.81). Lives for one command. */
final class PartitionGrowth {
    private final ClusterImage image;
    private final ControllerSettings settings;
    private final ReplicaPlacement placement;
    private final List<MetadataRecord> records = new ArrayList<>();
    private long added;

    private PartitionGrowth(ClusterImage image, DecideContext context) {
        this.image = image;
        this.settings = context.settings();
        this.placement = ReplicaPlacement.over(image, new Seeded(context.random()));
    }

    static Decision decide(ClusterImage image, CreatePartitions command, DecideContext context) {
        PartitionGrowth growth = new PartitionGrowth(image, context);
        List<TopicRows.Row> rows = TopicRows.of(command);
        List<Topics.Result> results = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Growth wanted = command.topics().get(i);
            Problem problem = rows.get(i).problem();
            if (problem == null) {
                problem = growth.problem(wanted);
            }
            results.add(problem != null ? problem.row(wanted.name(), TopicId.ZERO) : growth.grow(wanted));
        }
        return Decision.of(
                command.validateOnly() ? List.of() : growth.records,
                new QuorumReply.Topics(results),
                Causes.client("CreatePartitions", command.client()));
    }

    private Problem problem(Growth wanted) {
        TopicState topic = image.topic(wanted.name());
        if (topic == null) {
            return new Problem(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic has that name");
        }
        int more = wanted.count() - topic.partitions().size();
        if (more <= 0) {
            return new Problem(
                    ErrorCode.INVALID_PARTITIONS,
                    "the topic has " + topic.partitions().size() + " partitions, a topic can only grow");
        }
        if (added + more > settings.maxPartitionsPerRequest()) {
            return new Problem(
                    ErrorCode.POLICY_VIOLATION,
                    "a request may create " + settings.maxPartitionsPerRequest() + " partitions");
        }
        int replicationFactor = replicationFactor(topic);
        if (wanted.assignment().isEmpty()) {
            String placing = placement.problem(replicationFactor);
            return placing == null ? null : new Problem(ErrorCode.INVALID_REPLICATION_FACTOR, placing);
        }
        if (wanted.assignment().size() != more) {
            return ReplicaLists.invalid("the assignment must name the replicas of " + more + " partitions");
        }
        Problem lists = ReplicaLists.problem(wanted.assignment());
        if (lists != null) {
            return lists;
        }
        if (wanted.assignment().get(0).size() != replicationFactor) {
            return ReplicaLists.invalid("the partitions of this topic have " + replicationFactor + " replicas");
        }
        return ReplicaLists.problem(image, wanted.assignment());
    }

    private Topics.Result grow(Growth wanted) {
        TopicState topic = image.topic(wanted.name());
        int present = topic.partitions().size();
        int replicationFactor = replicationFactor(topic);
        for (int number = present; number < wanted.count(); number++) {
            List<Integer> replicas = wanted.assignment().isEmpty()
                    ? placement.next(replicationFactor)
                    : wanted.assignment().get(number - present);
            records.add(new PartitionCreated(
                    ReplicaLists.firstState(image, new PartitionId(topic.id(), number), replicas)));
        }
        added += wanted.count() - present;
        return new Topics.Result(wanted.name(), topic.id(), wanted.count(), replicationFactor, ErrorCode.NONE, "");
    }

    private static int replicationFactor(TopicState topic) {
        return topic.partition(0).replicas().size();
    }
}
