package io.tidemark.quorum.core;

import io.tidemark.model.WholeNumbers;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ThrottledReplicas;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The configuration keys that a topic may carry, and what their values may be. The fold relies on these checks. */
final class TopicConfigs {
    private static final Predicate<String> BOOLEAN = Set.of("true", "false")::contains;
    private static final Predicate<String> ANY_LONG = atLeast(Long.MIN_VALUE);
    private static final Predicate<String> UNLIMITED_OR_MORE = atLeast(-1);
    private static final Predicate<String> NOT_NEGATIVE = atLeast(0);
    private static final Predicate<String> POSITIVE = atLeast(1);
    private static final Predicate<String> POSITIVE_INT = WholeNumbers.between(1, Integer.MAX_VALUE);

    private static final Map<String, Predicate<String>> KEYS = Map.ofEntries(
            Map.entry("cleanup.policy", TopicConfigs::cleanupPolicy),
            Map.entry("compression.gzip.level", ANY_LONG),
            Map.entry("compression.lz4.level", ANY_LONG),
            Map.entry(
                    "compression.type", Set.of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")::contains),
            Map.entry("compression.zstd.level", ANY_LONG),
            Map.entry("delete.retention.ms", NOT_NEGATIVE),
            Map.entry("file.delete.delay.ms", NOT_NEGATIVE),
            Map.entry("flush.messages", POSITIVE),
            Map.entry("flush.ms", NOT_NEGATIVE),
            Map.entry(ThrottledReplicas.FOLLOWER_KEY, ThrottledReplicas::legal),
            Map.entry(ThrottledReplicas.LEADER_KEY, ThrottledReplicas::legal),
            Map.entry("index.interval.bytes", WholeNumbers.between(0, Integer.MAX_VALUE)),
            // Kafka's key for tests: segments smaller than segment.bytes may be.
            Map.entry("internal.segment.bytes", POSITIVE_INT),
            Map.entry("max.compaction.lag.ms", POSITIVE),
            Map.entry("max.message.bytes", WholeNumbers.between(0, Integer.MAX_VALUE)),
            Map.entry("message.timestamp.after.max.ms", NOT_NEGATIVE),
            Map.entry("message.timestamp.before.max.ms", NOT_NEGATIVE),
            Map.entry("message.timestamp.type", Set.of("CreateTime", "LogAppendTime")::contains),
            Map.entry("min.cleanable.dirty.ratio", TopicConfigs::ratio),
            Map.entry("min.compaction.lag.ms", NOT_NEGATIVE),
            Map.entry(ClusterImage.MIN_ISR_KEY, POSITIVE_INT),
            Map.entry("preallocate", BOOLEAN),
            Map.entry("retention.bytes", UNLIMITED_OR_MORE),
            Map.entry("retention.ms", UNLIMITED_OR_MORE),
            Map.entry("segment.bytes", WholeNumbers.between(14, Integer.MAX_VALUE)),
            Map.entry("segment.index.bytes", WholeNumbers.between(4, Integer.MAX_VALUE)),
            Map.entry("segment.jitter.ms", NOT_NEGATIVE),
            Map.entry("segment.ms", POSITIVE),
            Map.entry(RecoveryStrategy.UNCLEAN_KEY, BOOLEAN),
            Map.entry(RecoveryStrategy.KEY, RecoveryStrategy.LEGAL));

    private TopicConfigs() {}

    /** The first thing wrong with a topic's configuration, by key, or null. */
    static String problem(Map<String, String> configs) {
        for (Map.Entry<String, String> config : new TreeMap<>(configs).entrySet()) {
            if (!KEYS.containsKey(config.getKey())) {
                return "unknown topic config name: " + config.getKey();
            }
            String problem = valueProblem(config.getKey(), config.getValue());
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** What is wrong with the value of a key, or null; of keys that are not a topic's nothing is known. */
    static String valueProblem(String key, String value) {
        Predicate<String> legal = KEYS.get(key);
        return legal == null || (value != null && legal.test(value))
                ? null
                : "invalid value " + value + " for configuration " + key;
    }

    private static boolean cleanupPolicy(String value) {
        return Set.of("delete", "compact").containsAll(List.of(value.strip().split("\\s*,\\s*", -1)));
    }

    private static boolean ratio(String value) {
        try {
            double ratio = Double.parseDouble(value);
            return ratio >= 0 && ratio <= 1;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static Predicate<String> atLeast(long least) {
        return WholeNumbers.between(least, Long.MAX_VALUE);
    }
}
