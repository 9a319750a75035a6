package io.tidemark.broker.group;

import com.google.common.util.concurrent.RateLimiter;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates {@code __consumer_offsets} when a group is first asked for: one attempt at a time, at most one a second. */
final class OffsetsTopic {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsTopic.class);

    private final QuorumPort quorum;
    private final GroupCoordinatorConfig config;
    private final String client;
    private final AtomicBoolean underWay = new AtomicBoolean();
    private final RateLimiter attempts = RateLimiter.create(1);

    OffsetsTopic(QuorumPort quorum, GroupCoordinatorConfig config, int brokerId) {
        this.quorum = quorum;
        this.config = config;
        this.client = "broker-" + brokerId + "-groups";
    }

    /** Starts the creation unless it is under way; the outcome shows in the cluster's image. Does not block. */
    void create(ClusterImage image) {
        if (underWay.get() || !attempts.tryAcquire() || !underWay.compareAndSet(false, true)) {
            return;
        }
        int replicas = config.offsetsTopicReplicationFactor();
        long usable = image.brokers().values().stream()
                .filter(broker -> broker.active())
                .count();
        if (usable < replicas) {
            LOG.warn(
                    "{} needs {} brokers (offsets.topic.replication.factor), {} are usable: there are no groups yet",
                    OffsetsPartitions.TOPIC,
                    replicas,
                    usable);
            underWay.set(false);
            return;
        }
        Map<String, String> settings = Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.COMPRESSION_TYPE_CONFIG,
                "producer",
                TopicConfig.SEGMENT_BYTES_CONFIG,
                String.valueOf(config.offsetsTopicSegmentBytes()));
        QuorumCommand.NewTopic topic = new QuorumCommand.NewTopic(
                OffsetsPartitions.TOPIC, config.offsetsTopicPartitions(), replicas, List.of(), settings);
        quorum.submit(new QuorumCommand.CreateTopics(List.of(topic), false, client))
                .whenComplete((answer, failure) -> {
                    underWay.set(false);
                    if (failure != null) {
                        LOG.warn("the creation of {} has no outcome: {}", OffsetsPartitions.TOPIC, failure.toString());
                    } else {
                        report(answer.reply());
                    }
                });
    }

    private static void report(QuorumReply reply) {
        if (!(reply instanceof QuorumReply.Topics topics)) {
            LOG.warn("{} was not created: {}", OffsetsPartitions.TOPIC, reply);
            return;
        }
        for (QuorumReply.Topics.Result result : topics.results()) {
            if (result.error() != ErrorCode.NONE && result.error() != ErrorCode.TOPIC_ALREADY_EXISTS) {
                LOG.warn("{} was not created: {} {}", result.name(), result.error(), result.message());
            }
        }
    }
}
