package io.tidemark.model.config;

/**
 * How much of the metadata log a controller keeps for the metadata log tool once it needs it no longer itself; whichever
 * limit is met first.
 *
 * @param maxAgeMs {@code metadata.max.retention.ms}: milliseconds; -1 for any age
 * @param maxBytes {@code metadata.max.retention.bytes}: of log and snapshots together; -1 for any size
 */
public record HistoryConfig(long maxAgeMs, long maxBytes) {
    /** What a controller keeps that is not told otherwise: a week, at most 100 MiB. */
    public static final HistoryConfig DEFAULT = new HistoryConfig(604_800_000, 104_857_600);

    static HistoryConfig read(ConfigReader reader) {
        return new HistoryConfig(
                reader.number("metadata.max.retention.ms", DEFAULT.maxAgeMs, -1, Long.MAX_VALUE),
                reader.number("metadata.max.retention.bytes", DEFAULT.maxBytes, -1, Long.MAX_VALUE));
    }
}
