package io.tidemark.broker.runtime;

import io.tidemark.broker.log.LogSettings;
import io.tidemark.model.metadata.BrokerKeys;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ThrottledReplicas;
import java.util.function.BiConsumer;

/**
 * A topic's configuration as its partitions use it: the topic's own values over the broker's dynamic ones, over the
 * cluster's, over the broker's file.
 *
 * @param compression "producer", or the codec that batches are stored in
 * @param logAppendTime batches are stamped by the broker instead of the producer
 * @param timestampBeforeMaxMs and {@code timestampAfterMaxMs}: how far a producer's timestamp may lie off, milliseconds
 * @param cleanupPolicy what becomes of old records: delete, compact or both
 * @param leaderThrottled and {@code followerThrottled}: partitions replicated at this broker's rate at most (R4.23)
 */
public record TopicSettings(
        LogSettings log,
        String compression,
        boolean logAppendTime,
        long timestampBeforeMaxMs,
        long timestampAfterMaxMs,
        String cleanupPolicy,
        ThrottledReplicas leaderThrottled,
        ThrottledReplicas followerThrottled) {

    /** What a broker's file says: it names no replicas to throttle. */
    public TopicSettings(
            LogSettings log,
            String compression,
            boolean logAppendTime,
            long timestampBeforeMaxMs,
            long timestampAfterMaxMs,
            String cleanupPolicy) {
        this(
                log,
                compression,
                logAppendTime,
                timestampBeforeMaxMs,
                timestampAfterMaxMs,
                cleanupPolicy,
                ThrottledReplicas.NONE,
                ThrottledReplicas.NONE);
    }

    /** Kafka's defaults over the broker's log settings. */
    public static TopicSettings defaults(LogSettings log) {
        return new TopicSettings(log, "producer", false, Long.MAX_VALUE, 3_600_000, "delete");
    }

    /** Kafka's rule: a topic that is compacted, whatever else, takes only records with a key (R5.22). */
    public boolean compacted() {
        return cleanupPolicy.contains("compact");
    }

    /** Whether old records go at all, by age, size or request. */
    public boolean deleting() {
        return cleanupPolicy.contains("delete");
    }

    /** The settings of {@code topic} at that broker; a value that cannot be read is reported and the default stays. */
    public static TopicSettings of(
            ClusterImage image,
            String topic,
            int brokerId,
            TopicSettings defaults,
            BiConsumer<String, String> unreadable) {
        Reader reader = new Reader(image, topic, brokerId, unreadable);
        String cleanup = reader.text("cleanup.policy", defaults.cleanupPolicy());
        // What is only compacted keeps the newest record of every key, however old.
        boolean deletes = cleanup.contains("delete");
        long segmentBytes = reader.number("segment.bytes", defaults.log().segmentBytes(), 14, Integer.MAX_VALUE);
        LogSettings log = defaults.log()
                .withSegment(
                        (int) reader.number("internal.segment.bytes", segmentBytes, 1, Integer.MAX_VALUE),
                        reader.number("segment.ms", defaults.log().segmentMs(), 1, Long.MAX_VALUE))
                .withMaxMessageBytes((int)
                        reader.number("max.message.bytes", defaults.log().maxMessageBytes(), 0, Integer.MAX_VALUE))
                .withRetention(
                        deletes ? reader.number("retention.ms", defaults.log().retentionMs(), -1, Long.MAX_VALUE) : -1,
                        deletes
                                ? reader.number(
                                        "retention.bytes", defaults.log().retentionBytes(), -1, Long.MAX_VALUE)
                                : -1);
        String expiration = BrokerKeys.value(image, brokerId, BrokerKeys.PRODUCER_EXPIRATION);
        if (expiration != null) {
            log = log.withProducerIdExpiration(Long.parseLong(expiration));
        }
        return new TopicSettings(
                log,
                reader.text("compression.type", defaults.compression()),
                reader.text("message.timestamp.type", defaults.logAppendTime() ? "LogAppendTime" : "CreateTime")
                        .equals("LogAppendTime"),
                reader.number("message.timestamp.before.max.ms", defaults.timestampBeforeMaxMs(), 0, Long.MAX_VALUE),
                reader.number("message.timestamp.after.max.ms", defaults.timestampAfterMaxMs(), 0, Long.MAX_VALUE),
                cleanup,
                ThrottledReplicas.of(image.topicConfig(topic, ThrottledReplicas.LEADER_KEY), brokerId),
                ThrottledReplicas.of(image.topicConfig(topic, ThrottledReplicas.FOLLOWER_KEY), brokerId));
    }

    private record Reader(ClusterImage image, String topic, int brokerId, BiConsumer<String, String> unreadable) {
        String text(String key, String otherwise) {
            String value = image.topicConfig(topic, key, brokerId);
            return value == null ? otherwise : value;
        }

        long number(String key, long otherwise, long low, long high) {
            String value = image.topicConfig(topic, key, brokerId);
            if (value == null) {
                return otherwise;
            }
            try {
                long number = Long.parseLong(value);
                if (number >= low && number <= high) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Reported below, like a value out of range.
            }
            unreadable.accept(key, value);
            return otherwise;
        }
    }
}
