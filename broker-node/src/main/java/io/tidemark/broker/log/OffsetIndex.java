package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is derived from segments and may be lost at any time: batch positions, segment summaries, producer snapshots. One
 * per data directory, shared by its logs and by threads. Writes reach the disk in the order they were made but only
 * {@link #flush} says when; until then a dying process loses the newest of them. All methods may block.
 */
public interface OffsetIndex extends AutoCloseable {
    /** Adds entries of the segment that starts at {@code segmentBase}. */
    void put(PartitionId log, long segmentBase, List<IndexEntry> entries) throws IOException;

    /** The entry with the largest offset at or below {@code offset} in that segment. */
    Optional<IndexEntry> floor(PartitionId log, long segmentBase, long offset) throws IOException;

    /** All entries of a segment in ascending order. */
    List<IndexEntry> entries(PartitionId log, long segmentBase) throws IOException;

    void putSummary(PartitionId log, long segmentBase, SegmentSummary summary) throws IOException;

    Optional<SegmentSummary> summary(PartitionId log, long segmentBase) throws IOException;

    /** Keeps the serialized producer states as they were when the log ended at {@code offset}. */
    void putSnapshot(PartitionId log, long offset, byte[] states) throws IOException;

    /** The snapshot with the largest offset at or below {@code offset}. */
    Optional<Snapshot> newestSnapshot(PartitionId log, long offset) throws IOException;

    /** Drops the snapshots whose offset lies in [from, to). */
    void deleteSnapshots(PartitionId log, long from, long to) throws IOException;

    /**
     * Forgets the entries at or above {@code offset} and the summary of every segment that starts at or above
     * {@code activeBase}, the segment that holds that offset.
     */
    void truncate(PartitionId log, long activeBase, long offset) throws IOException;

    /** Forgets a segment that retention removed. */
    void deleteSegment(PartitionId log, long segmentBase) throws IOException;

    /** Forgets everything about a log, durably if there was anything. */
    void deleteLog(PartitionId log) throws IOException;

    /** Forgets every log that is not among these, durably if there was one. */
    void keepOnly(Set<PartitionId> logs) throws IOException;

    /** Returns when all that was written before is durable. */
    void flush() throws IOException;

    /** Ends the use of the index; what was not flushed is lost. */
    @Override
    void close();

    /** Serialized producer states at an offset. */
    record Snapshot(long offset, byte[] states) {}
}
