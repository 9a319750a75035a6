package io.tidemark.broker.log;

/**
 * The settings of one log; immutable, replaced as a whole when the topic's configuration changes.
 *
 * @param segmentBytes a segment is rolled before it would exceed this (1 .. 2^31-1)
 * @param segmentMs a segment is rolled when its record timestamps span more than this
 * @param maxMessageBytes the largest batch accepted from clients
 * @param memoryIndexBytes spacing of the in-memory index of recent segments
 * @param storedIndexBytes spacing of the stored index
 * @param flushBytes unsynced bytes after which {@link SegmentLog#needsFlush} asks for a flush; the stored index follows
 *     in the same steps
 * @param hotBytes reads further behind the end than this are {@link ReadResult.Cold} first
 * @param producerIdExpirationMs a producer without batches for this long is forgotten (R5.35)
 * @param retentionMs segments whose newest record is older are deleted; -1 = no limit
 * @param retentionBytes oldest segments are deleted while the rest holds at least this many bytes; -1 = no limit
 * @param synced what is appended counts, for acknowledgements and the high watermark, once it is synced (B16), not once it
 *     is written
 */
public record LogSettings(
        int segmentBytes,
        long segmentMs,
        int maxMessageBytes,
        int memoryIndexBytes,
        int storedIndexBytes,
        long flushBytes,
        long hotBytes,
        long producerIdExpirationMs,
        long retentionMs,
        long retentionBytes,
        boolean synced) {
    private static final long DAY_MS = 86_400_000L;

    /** Kafka's defaults where Kafka has the setting. */
    public static final LogSettings DEFAULTS = new LogSettings(
            1 << 30, 7 * DAY_MS, 1_048_588, 4096, 65_536, 64L << 20, 32L << 20, DAY_MS, 7 * DAY_MS, -1, false);

    public LogSettings {
        if (segmentBytes < 1
                || segmentMs < 1
                || maxMessageBytes < 0
                || memoryIndexBytes < 0
                || storedIndexBytes < 0
                || flushBytes < 1
                || hotBytes < 0
                || producerIdExpirationMs < 1
                || retentionMs < -1
                || retentionBytes < -1) {
            throw new IllegalArgumentException("a log setting is out of range");
        }
    }

    public LogSettings withSegment(int bytes, long ms) {
        return new LogSettings(
                bytes,
                ms,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                hotBytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withMaxMessageBytes(int bytes) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                bytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                hotBytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withIndexSpacing(int memoryBytes, int storedBytes) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryBytes,
                storedBytes,
                flushBytes,
                hotBytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withFlushBytes(long bytes) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                bytes,
                hotBytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withHotBytes(long bytes) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                bytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withProducerIdExpiration(long ms) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                hotBytes,
                ms,
                retentionMs,
                retentionBytes,
                synced);
    }

    public LogSettings withRetention(long ms, long bytes) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                hotBytes,
                producerIdExpirationMs,
                ms,
                bytes,
                synced);
    }

    public LogSettings withSynced(boolean value) {
        return new LogSettings(
                segmentBytes,
                segmentMs,
                maxMessageBytes,
                memoryIndexBytes,
                storedIndexBytes,
                flushBytes,
                hotBytes,
                producerIdExpirationMs,
                retentionMs,
                retentionBytes,
                value);
    }
}
