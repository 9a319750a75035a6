package io.tidemark.model.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The keys of consumer groups, which go to the coordinator as they are given: it has their defaults and limits. */
final class GroupKeys {
    private static final List<String> KEYS = List.of(
            "group.consumer.assignment.interval.ms",
            "group.consumer.assignors",
            "group.consumer.heartbeat.interval.ms",
            "group.consumer.max.assignment.interval.ms",
            "group.consumer.max.heartbeat.interval.ms",
            "group.consumer.max.session.timeout.ms",
            "group.consumer.max.size",
            "group.consumer.migration.policy",
            "group.consumer.min.assignment.interval.ms",
            "group.consumer.min.heartbeat.interval.ms",
            "group.consumer.min.session.timeout.ms",
            "group.consumer.regex.refresh.interval.ms",
            "group.consumer.session.timeout.ms",
            "group.coordinator.append.linger.ms",
            "group.coordinator.background.threads",
            "group.coordinator.cached.buffer.max.bytes",
            "group.coordinator.rebalance.protocols",
            "group.coordinator.threads",
            "group.initial.rebalance.delay.ms",
            "group.max.session.timeout.ms",
            "group.max.size",
            "group.min.session.timeout.ms",
            "offset.metadata.max.bytes",
            "offsets.commit.timeout.ms",
            "offsets.load.buffer.size",
            "offsets.retention.check.interval.ms",
            "offsets.retention.minutes",
            "offsets.topic.compression.codec",
            "offsets.topic.num.partitions",
            "offsets.topic.replication.factor",
            "offsets.topic.segment.bytes");

    private GroupKeys() {}

    /** Those of the keys that are given, with their values. */
    static Map<String, String> read(ConfigReader reader) {
        Map<String, String> given = new TreeMap<>();
        for (String key : KEYS) {
            if (reader.has(key)) {
                given.put(key, reader.text(key));
            }
        }
        return Map.copyOf(given);
    }
}
