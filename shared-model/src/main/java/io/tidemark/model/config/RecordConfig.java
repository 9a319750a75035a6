package io.tidemark.model.config;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The cluster's defaults for how the records of a topic are kept, for topics that do not say it themselves; times in
 * milliseconds. The values are legal ones of the topics' keys.
 *
 * @param compression {@code compression.type}: producer, or what batches are stored in
 * @param timestampType {@code log.message.timestamp.type}: CreateTime or LogAppendTime
 * @param timestampBeforeMaxMs how much older than the broker's clock a producer's timestamp may be, and
 *     {@code timestampAfterMaxMs} how much newer
 * @param cleanupPolicy {@code log.cleanup.policy}: delete, compact or both with a comma between
 */
public record RecordConfig(
        String compression,
        String timestampType,
        long timestampBeforeMaxMs,
        long timestampAfterMaxMs,
        String cleanupPolicy) {

    static RecordConfig read(ConfigReader reader) {
        return new RecordConfig(
                oneOf(reader, "compression.type", "producer", List.of("uncompressed", "zstd", "lz4", "snappy", "gzip")),
                oneOf(reader, "log.message.timestamp.type", "CreateTime", List.of("LogAppendTime")),
                reader.number("log.message.timestamp.before.max.ms", Long.MAX_VALUE, 0, Long.MAX_VALUE),
                reader.number("log.message.timestamp.after.max.ms", 3_600_000, 0, Long.MAX_VALUE),
                legal(
                        reader,
                        "log.cleanup.policy",
                        "delete",
                        "delete, compact or both",
                        text -> Set.of("delete", "compact").containsAll(List.of(text.split("\\s*,\\s*", -1)))));
    }

    private static String oneOf(ConfigReader reader, String key, String fallback, List<String> others) {
        String expected = fallback + ", " + String.join(", ", others);
        return legal(reader, key, fallback, expected, text -> text.equals(fallback) || others.contains(text));
    }

    private static String legal(
            ConfigReader reader, String key, String fallback, String expected, Predicate<String> legal) {
        return reader.value(key, fallback, text -> {
            if (!legal.test(text)) {
                throw new IllegalArgumentException("expected " + expected);
            }
            return text;
        });
    }
}
