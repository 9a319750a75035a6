package io.tidemark.model.config;

/**
 * The partition logs: the cluster's defaults for topics, and what holds for all of them.
 *
 * @param segmentBytes size at which a segment is rolled
 * @param rollMs age at which it is
 * @param retentionMs age after which closed segments go; -1 keeps them
 * @param retentionBytes size of a partition above which its oldest segments go; -1 keeps them
 * @param retentionCheckIntervalMs between two looks at both
 * @param indexIntervalBytes log between two entries of the in-memory index
 * @param messageMaxBytes largest batch a client may write
 * @param durability what an acknowledged record has reached on each replica that counts
 * @param flushIntervalBytes log after which it is synced and its index entries are written
 * @param producerIdExpirationMs a producer silent for longer is forgotten (R5.35)
 * @param producerIdExpirationCheckIntervalMs between two looks for such producers
 * @param records how records are kept
 */
public record LogConfig(
        int segmentBytes,
        long rollMs,
        long retentionMs,
        long retentionBytes,
        long retentionCheckIntervalMs,
        int indexIntervalBytes,
        int messageMaxBytes,
        Durability durability,
        long flushIntervalBytes,
        long producerIdExpirationMs,
        long producerIdExpirationCheckIntervalMs,
        RecordConfig records) {

    /** {@code log.durability}. */
    public enum Durability {
        /** The operating system's page cache: survives the process, and the machine by having replicas. */
        REPLICATED,
        /** The disk: a replica's acknowledged end is its synced end. */
        FSYNC
    }

    private static final long MINUTE_MS = 60_000;
    private static final long HOUR_MS = 60 * MINUTE_MS;

    static LogConfig read(ConfigReader reader) {
        return new LogConfig(
                reader.integer("log.segment.bytes", 1_073_741_824, 1_048_576, Integer.MAX_VALUE),
                rollMs(reader),
                retentionMs(reader),
                reader.number("log.retention.bytes", -1, -1, Long.MAX_VALUE),
                reader.number("log.retention.check.interval.ms", 300_000, 1, Long.MAX_VALUE),
                reader.integer("log.index.interval.bytes", 4_096, 0, Integer.MAX_VALUE),
                reader.integer("message.max.bytes", 1_048_588, 0, Integer.MAX_VALUE),
                reader.choice("log.durability", Durability.REPLICATED),
                reader.number("log.flush.interval.bytes", 67_108_864, 1, Long.MAX_VALUE),
                reader.number("producer.id.expiration.ms", 86_400_000, 1, Integer.MAX_VALUE),
                reader.number("producer.id.expiration.check.interval.ms", 600_000, 1, Integer.MAX_VALUE),
                RecordConfig.read(reader));
    }

    /** Kafka's order: the finer unit wins. */
    private static long rollMs(ConfigReader reader) {
        long hours = reader.number("log.roll.hours", 168, 1, Integer.MAX_VALUE);
        return reader.number("log.roll.ms", hours * HOUR_MS, 1, Long.MAX_VALUE);
    }

    private static long retentionMs(ConfigReader reader) {
        long hours = reader.number("log.retention.hours", 168, -1, Integer.MAX_VALUE);
        long byHours = hours < 0 ? -1 : hours * HOUR_MS;
        boolean inMinutes = reader.has("log.retention.minutes");
        long minutes = reader.number("log.retention.minutes", -1, -1, Integer.MAX_VALUE);
        long byMinutes = minutes < 0 ? -1 : minutes * MINUTE_MS;
        return reader.number("log.retention.ms", inMinutes ? byMinutes : byHours, -1, Long.MAX_VALUE);
    }
}
