package io.tidemark.model.config;

/**
 * When a controller writes a snapshot of the metadata: whichever comes first.
 *
 * @param maxIntervalMs time since the last one, if anything was written since; 0 turns this off
 * @param maxLogBytes bytes of records since the last one
 */
public record SnapshotConfig(long maxIntervalMs, long maxLogBytes) {
    static SnapshotConfig read(ConfigReader reader) {
        return new SnapshotConfig(
                reader.number("metadata.log.max.snapshot.interval.ms", 3_600_000, 0, Long.MAX_VALUE),
                reader.number("metadata.log.max.record.bytes.between.snapshots", 20_971_520, 1, Long.MAX_VALUE));
    }
}
