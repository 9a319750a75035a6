package io.tidemark.broker.log;

import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import java.io.IOException;

/**
 * Takes the end off a log's files and off the stored index, durably (B22). The checkpoints must speak of nothing
 * behind the cut by then, and what the log itself says of its end is to be lowered after.
 */
final class LogTruncation {
    private final PartitionId id;
    private final SegmentList segments;
    private final OffsetIndex index;

    LogTruncation(PartitionId id, SegmentList segments, OffsetIndex index) {
        this.id = id;
        this.segments = segments;
        this.index = index;
    }

    /** A place between two batches: the segment that becomes the last one, its size then, and the new end of the log. */
    record Cut(Segment last, int size, long end) {}

    /** Where the batch that contains {@code target} starts (S36), which lies in a segment and below {@code logEnd}. */
    Cut at(long target, long logEnd) throws IOException {
        Segment last = segments.holding(target);
        int from = LogScan.positionAtOrBefore(id, last, index, target);
        BatchScanner scanner = new BatchScanner(last.file(), from, last.size, BatchScanner.NEAR, false);
        BatchHeader header = scanner.next();
        while (header != null && header.nextOffset() <= target) {
            header = scanner.next();
        }
        Check.that(header != null, "a batch holds the offset to truncate to", target, logEnd);
        return new Cut(last, scanner.batchPosition(), header.baseOffset());
    }

    void perform(Cut cut, LogSettings settings) throws IOException {
        Segment last = cut.last();
        index.truncate(id, last.base(), cut.end());
        index.deleteSnapshots(id, cut.end() + 1, Long.MAX_VALUE);
        index.flush();
        segments.deleteFrom(last.base() + 1);
        last.file().truncate(cut.size());
        last.file().sync();
        last.size = cut.size();
        reindex(last, cut.end(), settings);
    }

    /** Brings the memory index and the timestamps of the segment that becomes the active one up to its new end. */
    private void reindex(Segment segment, long newEnd, LogSettings settings) throws IOException {
        if (segment.index == null) {
            segment.index = new MemoryIndex();
            segment.index.addStored(LogScan.trustedEntries(id, segment, index, newEnd));
        }
        segment.index.truncate(segment.size);
        LogScan.tail(segment, settings, Long.MAX_VALUE, header -> true);
    }

    /** Leaves one empty segment that starts at {@code offset}. */
    void fully(long offset) throws IOException {
        index.deleteLog(id);
        segments.deleteFrom(0);
        segments.create(offset);
        segments.syncDirectory();
    }
}
