package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.util.List;

/**
 * Makes durable what a log had written when the task was taken: the data first, then what the index says of it. Taken on
 * the loop, {@link #run} elsewhere beside further appends, handed back on the loop with {@link SegmentLog#completed}.
 */
public final class FlushTask {
    /** What goes into the stored index along with the data. */
    record IndexPart(
            PartitionId log,
            OffsetIndex index,
            long segmentBase,
            List<IndexEntry> entries,
            ProducerStates producers,
            long obsoleteSnapshotsFrom,
            long obsoleteSnapshotsTo) {}

    private final List<Segment> segments;
    private final SegmentList directory;
    private final boolean syncDirectory;
    private final long end;
    private final IndexPart indexPart;
    private volatile boolean succeeded;

    FlushTask(List<Segment> segments, SegmentList directory, boolean syncDirectory, long end, IndexPart indexPart) {
        this.segments = segments;
        this.directory = directory;
        this.syncDirectory = syncDirectory;
        this.end = end;
        this.indexPart = indexPart;
    }

    /** Blocking. After an IOException the log must be given up: a second sync would not say what the first one lost. */
    public void run() throws IOException {
        for (Segment segment : segments) {
            segment.file().sync();
        }
        if (syncDirectory) {
            directory.syncDirectory();
        }
        if (indexPart != null) {
            OffsetIndex index = indexPart.index();
            index.put(indexPart.log(), indexPart.segmentBase(), indexPart.entries());
            index.putSnapshot(indexPart.log(), end, indexPart.producers().toBytes());
            index.deleteSnapshots(indexPart.log(), indexPart.obsoleteSnapshotsFrom(), indexPart.obsoleteSnapshotsTo());
            index.flush();
        }
        succeeded = true;
    }

    /** The offset below which everything is durable once {@link #run} has returned. */
    public long end() {
        return end;
    }

    boolean succeeded() {
        return succeeded;
    }

    boolean includesDirectory() {
        return syncDirectory;
    }

    void release() throws IOException {
        for (Segment segment : segments) {
            segment.release();
        }
    }
}
