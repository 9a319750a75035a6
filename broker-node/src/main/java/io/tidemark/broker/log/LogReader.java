package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.util.Optional;

/**
 * The reading half of a log, on its loop: finds regions near the end through the memory index, and hands out look-ups
 * for what lies further back or is not indexed in memory.
 */
final class LogReader {
    private final SegmentList segments;
    private final ColdReads coldReads;
    /** Counts truncations: what was found out about the log before one is void after it. */
    private int generation;

    LogReader(PartitionId id, SegmentList segments, OffsetIndex index) {
        this.segments = segments;
        this.coldReads = new ColdReads(id, index);
    }

    /** To be called before bytes are cut off. */
    void truncated() {
        generation++;
    }

    /** As {@link SegmentLog#read}, for an offset below {@code bound}, which is at most the log's end. */
    ReadResult read(long offset, long bound, long logEnd, int maxBytes, boolean atLeastOneBatch, long hotBytes)
            throws IOException {
        Segment segment = segments.holding(offset);
        BatchRegion.Query query = new BatchRegion.Query(
                segment.size, segments.endOf(segment, logEnd), offset, bound, maxBytes, atLeastOneBatch);
        int entry = segment.index == null ? -1 : segment.index.floorOffset(offset);
        int near = entry < 0 ? -1 : segment.index.get(entry).position();
        if (near >= 0 && segments.bytesBehind(segment, near) <= hotBytes) {
            return slice(segment, BatchRegion.find(segment.file(), near, segment.index, query));
        }
        Optional<ColdReads.Finding> finding = coldReads.take(segment, generation, query);
        if (finding.isPresent()) {
            if (finding.get().failure() != null) {
                throw finding.get().failure();
            }
            return slice(segment, finding.get().region());
        }
        return new ReadResult.Cold(coldReads.lookUp(segment, generation, query, near));
    }

    private static ReadResult slice(Segment segment, BatchRegion region) throws IOException {
        if (region == null) {
            return ReadResult.Empty.INSTANCE;
        }
        FileSlice slice = FileSlice.of(segment, region.start(), region.end() - region.start());
        return new ReadResult.Slice(slice, region.firstBatchBase(), region.nextOffset());
    }
}
