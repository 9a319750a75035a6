package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochHistory;

/** The log as its replica knows it. Invariant: logStart <= highWatermark <= end <= stagedEnd (R1.4). */
final class LogView {
    /** First readable offset. */
    private long logStart;
    /** End of what was written: returned from write, not necessarily synced (B22). */
    private long end;
    /** End of what was staged: next offset to assign. */
    private long stagedEnd;

    private long highWatermark;
    private EpochHistory epochs;

    LogView(long logStart, long end, long highWatermark, EpochHistory epochs) {
        this.logStart = logStart;
        this.end = end;
        this.stagedEnd = end;
        this.epochs = epochs;
        this.highWatermark = clamp(highWatermark);
    }

    long logStart() {
        return logStart;
    }

    long end() {
        return end;
    }

    long stagedEnd() {
        return stagedEnd;
    }

    long highWatermark() {
        return highWatermark;
    }

    EpochHistory epochs() {
        return epochs;
    }

    /** R3.10: into logStart .. end. */
    long clamp(long offset) {
        return Math.max(logStart, Math.min(offset, end));
    }

    void stage(long newStagedEnd) {
        stagedEnd = newStagedEnd;
    }

    void written(long newEnd) {
        Check.that(newEnd >= end && newEnd <= stagedEnd, "written end lies between end and staged end", newEnd, end);
        end = newEnd;
    }

    void highWatermark(long mark) {
        Check.that(mark >= logStart && mark <= end, "high watermark lies within the log", mark, end);
        highWatermark = mark;
    }

    void epochs(EpochHistory history) {
        epochs = history;
    }

    void logStart(long start) {
        Check.that(start <= end, "log start lies within the log", start, end);
        logStart = Math.max(logStart, start);
        highWatermark = Math.max(highWatermark, logStart);
    }

    /** R3.12: the mark goes down with the log. */
    void truncated(long start, long newEnd, EpochHistory history) {
        logStart = start;
        end = newEnd;
        stagedEnd = newEnd;
        epochs = history;
        highWatermark = Math.max(start, Math.min(highWatermark, newEnd));
    }
}
