package io.tidemark.broker.log;

import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Up to where a log is durable, and what the next flush has to make so. One flush at a time. */
final class FlushProgress {
    private final PartitionId id;
    private final SegmentList segments;
    private final OffsetIndex index;
    private volatile long recoveryPoint;
    private boolean underWay;
    /** Something was created or put in the directory, perhaps by a run before this one. */
    private boolean directoryDirty = true;

    private long unsyncedBytes;
    private long unindexedBytes;
    /** Offset of the newest snapshot inside the active segment, or its base. */
    private long lastSnapshot;

    FlushProgress(PartitionId id, SegmentList segments, OffsetIndex index, long recoveryPoint) {
        this.id = id;
        this.segments = segments;
        this.index = index;
        this.recoveryPoint = recoveryPoint;
        this.lastSnapshot = segments.active().base();
    }

    /** As {@link SegmentLog#recoveryPoint}. Any thread; all else is for the log's writer. */
    long recoveryPoint() {
        return recoveryPoint;
    }

    /** Whether a flush was taken and is not completed. */
    boolean underWay() {
        return underWay;
    }

    /** As {@link SegmentLog#needsFlush}. */
    boolean due(long flushBytes) {
        return !underWay && unsyncedBytes >= flushBytes;
    }

    /** As {@link SegmentLog#flushTask}, of a log that ends there and has these producers. */
    FlushTask take(long end, ProducerStates producers, LogSettings settings) {
        Check.that(!underWay, "one flush of a log at a time");
        underWay = true;
        List<Segment> dirty = new ArrayList<>();
        if (recoveryPoint < end) {
            for (Segment segment : segments.from(recoveryPoint)) {
                segment.retain();
                dirty.add(segment);
            }
        }
        FlushTask.IndexPart part = null;
        if (unindexedBytes >= settings.flushBytes()) {
            Segment active = segments.active();
            part = new FlushTask.IndexPart(
                    id,
                    index,
                    active.base(),
                    active.index.takeUnstored(active.size, settings.storedIndexBytes()),
                    producers.copy(),
                    active.base() + 1,
                    lastSnapshot);
            lastSnapshot = end;
            unindexedBytes = 0;
        }
        FlushTask task = new FlushTask(dirty, segments, directoryDirty, end, part);
        directoryDirty = false;
        unsyncedBytes = 0;
        return task;
    }

    /** As {@link SegmentLog#completed}. */
    void completed(FlushTask task) throws IOException {
        Check.that(underWay, "a flush was taken before it is completed");
        underWay = false;
        task.release();
        if (task.succeeded()) {
            synced(task.end());
        } else {
            directoryDirty |= task.includesDirectory();
        }
    }

    /** So many bytes more were written. */
    void wrote(int bytes) {
        unsyncedBytes += bytes;
        unindexedBytes += bytes;
    }

    /** Something was put in the directory. */
    void directoryChanged() {
        directoryDirty = true;
    }

    /** All below {@code end} is durable. */
    void synced(long end) {
        recoveryPoint = Math.max(recoveryPoint, end);
    }

    /** The log is about to be cut there. */
    void lower(long end) {
        recoveryPoint = Math.min(recoveryPoint, end);
    }

    /** The active segment is another one, or has lost the snapshots inside it. */
    void snapshotAt(long offset) {
        lastSnapshot = offset;
    }

    /** The log was emptied, durably, and begins anew there. */
    void restartAt(long offset) {
        recoveryPoint = offset;
        lastSnapshot = offset;
    }
}
