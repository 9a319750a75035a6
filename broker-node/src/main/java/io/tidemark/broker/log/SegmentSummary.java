package io.tidemark.broker.log;

/**
 * What is known of a whole segment: it holds {@code size} bytes up to {@code endOffset} (exclusive), its largest record
 * timestamp (ms, -1 if none), and the epoch of the last batch at or before its end (-1 if the log is empty up to there).
 * It speaks for the file only if the file has exactly {@code size} bytes.
 */
public record SegmentSummary(int size, long endOffset, long maxTimestamp, int lastEpoch) {}
