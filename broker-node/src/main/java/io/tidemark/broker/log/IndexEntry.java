package io.tidemark.broker.log;

/**
 * Where one batch starts in its segment. {@code maxTimestampBefore} is the largest record timestamp (ms, -1 if none) of
 * all earlier batches of the segment, so both offset and time look-ups find the region to scan between two entries.
 */
public record IndexEntry(long offset, int position, long maxTimestampBefore) {}
