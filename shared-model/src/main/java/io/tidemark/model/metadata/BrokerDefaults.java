package io.tidemark.model.metadata;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The keys under which a broker, or the cluster's default, says what a topic without a value of its own uses: those of
 * Kafka's keys that can be changed while brokers run. A broker's file may say some of them in other units too, such as
 * log.retention.hours; a request may not.
 */
public final class BrokerDefaults {
    private static final Map<String, String> BROKER_KEYS = Map.ofEntries(
            Map.entry("cleanup.policy", "log.cleanup.policy"),
            Map.entry("compression.gzip.level", "compression.gzip.level"),
            Map.entry("compression.lz4.level", "compression.lz4.level"),
            Map.entry("compression.type", "compression.type"),
            Map.entry("compression.zstd.level", "compression.zstd.level"),
            Map.entry("delete.retention.ms", "log.cleaner.delete.retention.ms"),
            Map.entry("file.delete.delay.ms", "log.segment.delete.delay.ms"),
            Map.entry("flush.messages", "log.flush.interval.messages"),
            Map.entry("flush.ms", "log.flush.interval.ms"),
            Map.entry("index.interval.bytes", "log.index.interval.bytes"),
            Map.entry("max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
            Map.entry("max.message.bytes", "message.max.bytes"),
            Map.entry("message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"),
            Map.entry("message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"),
            Map.entry("message.timestamp.type", "log.message.timestamp.type"),
            Map.entry("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"),
            Map.entry("min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"),
            Map.entry(ClusterImage.MIN_ISR_KEY, ClusterImage.MIN_ISR_KEY),
            Map.entry("preallocate", "log.preallocate"),
            Map.entry("retention.bytes", "log.retention.bytes"),
            Map.entry("retention.ms", "log.retention.ms"),
            Map.entry("segment.bytes", "log.segment.bytes"),
            Map.entry("segment.index.bytes", "log.index.size.max.bytes"),
            Map.entry("segment.jitter.ms", "log.roll.jitter.ms"),
            Map.entry("segment.ms", "log.roll.ms"),
            Map.entry("unclean.leader.election.enable", "unclean.leader.election.enable"),
            Map.entry("unclean.recovery.strategy", "unclean.recovery.strategy"));

    private static final Map<String, String> TOPIC_KEYS = BROKER_KEYS.entrySet().stream()
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getValue, Map.Entry::getKey));

    private BrokerDefaults() {}

    /** The brokers' key for a topic's, or null if they have none. */
    public static String brokerKey(String topicKey) {
        return BROKER_KEYS.get(topicKey);
    }

    /** The topics' key for a broker's, or null if it is none that topics fall back to. */
    public static String topicKey(String brokerKey) {
        return TOPIC_KEYS.get(brokerKey);
    }
}
