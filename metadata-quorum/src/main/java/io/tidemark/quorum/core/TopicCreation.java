package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.MetadataRecord.PartitionCreated;
import io.tidemark.model.metadata.MetadataRecord.TopicCreated;
import io.tidemark.model.metadata.QuorumCommand.CreateTopics;
import io.tidemark.model.metadata.QuorumCommand.NewTopic;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Topics;
import io.tidemark.quorum.core.StatelessChecks.TopicRows;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * New topics, each whole or not at all: the topic, its configuration, its partitions, in that order (R7.80), so that the
 * partitions come into being with the min ISR that they were asked to have. Lives for one command.
 */
final class TopicCreation {
    private final ClusterImage image;
    private final ControllerSettings settings;
    private final Seeded ids;
    private final ReplicaPlacement placement;
    private final TopicNames names = new TopicNames();
    private final List<MetadataRecord> records = new ArrayList<>();

    private TopicCreation(ClusterImage image, DecideContext context) {
        Seeded chance = new Seeded(context.random());
        this.image = image;
        this.settings = context.settings();
        this.ids = chance.split();
        this.placement = ReplicaPlacement.over(image, chance.split());
    }

    static Decision decide(ClusterImage image, CreateTopics command, DecideContext context) {
        TopicCreation creation = new TopicCreation(image, context);
        List<TopicRows.Row> rows = TopicRows.of(command, context.settings());
        List<Topics.Result> results = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            NewTopic topic = command.topics().get(i);
            Problem problem = rows.get(i).problem();
            if (problem == null) {
                problem = creation.problem(topic);
            }
            results.add(
                    problem != null
                            ? problem.row(topic.name(), TopicId.ZERO)
                            : creation.create(topic, command.validateOnly()));
        }
        return Decision.of(
                command.validateOnly() ? List.of() : creation.records,
                new QuorumReply.Topics(results),
                Causes.client("CreateTopics", command.client()));
    }

    private Problem problem(NewTopic topic) {
        if (image.topic(topic.name()) != null) {
            return new Problem(ErrorCode.TOPIC_ALREADY_EXISTS, "topic " + topic.name() + " exists already");
        }
        String other = names.collision(image, topic.name());
        if (other != null) {
            return new Problem(
                    ErrorCode.INVALID_TOPIC_EXCEPTION, "topic " + topic.name() + " collides with topic " + other);
        }
        if (!topic.assignment().isEmpty()) {
            return ReplicaLists.problem(image, topic.assignment());
        }
        String placing = placement.problem(replicationFactor(topic));
        return placing == null ? null : new Problem(ErrorCode.INVALID_REPLICATION_FACTOR, placing);
    }

    private Topics.Result create(NewTopic topic, boolean validateOnly) {
        TopicId id = unusedId();
        names.claim(topic.name());
        records.add(new TopicCreated(topic.name(), id));
        new TreeMap<>(topic.configs())
                .forEach((key, value) -> records.add(new ConfigSet(ConfigResource.topic(topic.name()), key, value)));
        int count = TopicRows.count(topic, settings);
        int replicationFactor = replicationFactor(topic);
        for (int partition = 0; partition < count; partition++) {
            List<Integer> replicas = topic.assignment().isEmpty()
                    ? placement.next(replicationFactor)
                    : topic.assignment().get(partition);
            records.add(new PartitionCreated(ReplicaLists.firstState(image, new PartitionId(id, partition), replicas)));
        }
        return new Topics.Result(
                topic.name(), validateOnly ? TopicId.ZERO : id, count, replicationFactor, ErrorCode.NONE, "");
    }

    private int replicationFactor(NewTopic topic) {
        if (!topic.assignment().isEmpty()) {
            return topic.assignment().get(0).size();
        }
        return topic.replicationFactor() == -1 ? settings.defaultReplicationFactor() : topic.replicationFactor();
    }

    private TopicId unusedId() {
        TopicId id = ids.topicId();
        while (image.topic(id) != null) {
            id = ids.topicId();
        }
        return id;
    }
}
