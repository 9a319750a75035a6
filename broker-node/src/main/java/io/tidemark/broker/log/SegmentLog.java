package io.tidemark.broker.log;

import io.tidemark.model.Check;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The log of one partition: appends at the end, reads anywhere, truncation, retention. Single writer, no locks; see the
 * package for the two kinds of methods. Opened by {@link LogRecovery}. Its parts are {@link LogTail}, {@link LogReader},
 * {@link FlushProgress}, {@link LogTruncation} and {@link StoredEpochs}; here is in which order they must act.
 *
 * <p>Offsets: {@code logStart <= logEnd <= stagedEnd}; bytes below logEnd have returned from the write, bytes below
 * {@code recoveryPoint <= logEnd} are synced. After an IOException the log must not be used any more.
 */
public final class SegmentLog {
    private final PartitionId id;
    private final OffsetIndex index;
    private final SegmentList segments;
    private final StoredEpochs epochs;
    private final CheckpointGuard guard;
    private final LogReader reader;
    private final LogTail tail;
    private final FlushProgress flushes;
    private final LogTruncation truncation;
    private LogSettings settings;
    private ProducerStates producers = new ProducerStates();
    private volatile long logStart;

    private boolean broken;

    /** Told before a log is cut, so that no checkpoint speaks of bytes that are gone, or of others in their place. */
    @FunctionalInterface
    interface CheckpointGuard {
        /** Returns when on disk the recovery point is at most the first, high watermark and log start the second. */
        void beforeCut(long recoveryPoint, long end) throws IOException;

        /** Recovery is about to take away bytes that were written. */
        default void beforeLoss() throws IOException {}
    }

    /** Where recovery found the log to start, to end, and to be synced. */
    record Bounds(long logStart, long end, long recoveryPoint) {}

    SegmentLog(
            PartitionId id,
            SegmentList segments,
            OffsetIndex index,
            StoredEpochs epochs,
            CheckpointGuard guard,
            LogSettings settings,
            Bounds bounds) {
        this.id = id;
        this.segments = segments;
        this.index = index;
        this.epochs = epochs;
        this.guard = guard;
        this.settings = settings;
        this.reader = new LogReader(id, segments, index);
        this.tail = new LogTail(bounds.end());
        this.truncation = new LogTruncation(id, segments, index);
        this.flushes = new FlushProgress(id, segments, index, bounds.recoveryPoint());
        this.logStart = bounds.logStart();
    }

    public PartitionId id() {
        return id;
    }

    public LogSettings settings() {
        return settings;
    }

    /** Loop: takes over changed settings. */
    public void settings(LogSettings changed) {
        this.settings = changed;
    }

    /** The first readable offset. Any thread. */
    public long logStartOffset() {
        return logStart;
    }

    /** Loop: the end of what {@link #write} has returned for (R1.1). */
    public long logEndOffset() {
        return tail.end();
    }

    /** Loop: the offset the next staged batch must have. */
    public long stagedEndOffset() {
        return tail.stagedEnd();
    }

    /** The offset below which everything is synced; what a replica acknowledges under B16. Any thread. */
    public long recoveryPoint() {
        return flushes.recoveryPoint();
    }

    /** Loop: which epoch wrote what; on disk already, except after a raise of the log start. */
    public EpochHistory epochs() {
        return epochs.history();
    }

    /** Loop: the producers including those of staged batches. */
    public ProducerStates producers() {
        return producers;
    }

    /** Loop: how many there are. */
    public int segmentCount() {
        return segments.all().size();
    }

    /** Loop: bytes of all segments. */
    public long sizeInBytes() {
        return segments.all().stream().mapToLong(segment -> segment.size).sum();
    }

    // ---------------------------------------------------------------------------------------------- append

    /**
     * Loop: takes complete v2 batches that carry their final offsets and {@code epoch}. The caller has checked their
     * checksums, has written the epoch ({@link #persistEpochs}, R5.24) and leaves the bytes alone until
     * {@link #write}. Throws Check.Violation if they do not continue the log.
     */
    public void stage(ByteBuffer batches, int epoch) {
        Check.that(!broken, "a log whose write failed takes no more batches");
        int latest = epochs.history().latestEpoch();
        Check.that(epoch == latest, "staged epoch is the latest epoch", epoch, latest);
        tail.stage(batches, epoch, segments.active(), producers, settings.memoryIndexBytes());
    }

    /** Loop: writes everything staged with one gathering write and returns the new log end. */
    public long write() throws IOException {
        Check.that(!broken, "a log whose write failed is not written to");
        if (tail.nothingStaged()) {
            return tail.end();
        }
        broken = true;
        int written = tail.write(segments.active());
        broken = false;
        flushes.wrote(written);
        return tail.end();
    }

    /** Loop: whether {@link #roll} is due before {@code incomingBytes} more are staged. */
    public boolean needsRoll(int incomingBytes) {
        Segment active = segments.active();
        long size = tail.sizeOf(active);
        return size > 0
                && (size + incomingBytes > settings.segmentBytes()
                        || (active.firstTimestamp >= 0
                                && active.maxTimestamp - active.firstTimestamp > settings.segmentMs()));
    }

    /** Blocking: starts a new segment at the end. Nothing may be staged; a flush may be under way. */
    public void roll() throws IOException {
        checkNothingStaged();
        Segment old = segments.active();
        if (old.size == 0) {
            return;
        }
        storeIndexOf(old);
        index.putSnapshot(id, tail.end(), producers.toBytes());
        index.deleteSnapshots(id, old.base() + 1, tail.end());
        for (Segment segment : segments.all()) {
            if (segments.bytesBehind(segment, segment.size) > settings.hotBytes()) {
                segment.index = null;
            }
        }
        segments.create(tail.end());
        flushes.directoryChanged();
        flushes.snapshotAt(tail.end());
    }

    // ---------------------------------------------------------------------------------------------- read

    /**
     * Loop: batches from the one that contains {@code offset}, all wholly below {@code maxOffset} and the log end,
     * together at most {@code maxBytes} unless {@code atLeastOneBatch} lets a larger first one through.
     */
    public ReadResult read(long offset, long maxOffset, int maxBytes, boolean atLeastOneBatch) throws IOException {
        if (segments.isEmpty()) {
            throw new IOException("the log is closed");
        }
        if (offset < logStart || offset > tail.end()) {
            return new ReadResult.OutOfRange(logStart, tail.end());
        }
        long bound = Math.min(maxOffset, tail.end());
        if (offset >= bound) {
            return ReadResult.Empty.INSTANCE;
        }
        return reader.read(offset, bound, tail.end(), maxBytes, atLeastOneBatch, settings.hotBytes());
    }

    // ---------------------------------------------------------------------------------------------- durability

    /** Loop: whether enough was written since the last flush to take a {@link #flushTask}. */
    public boolean needsFlush() {
        return flushes.due(settings.flushBytes());
    }

    /** Loop: work that syncs all that was written so far. One at a time; nothing may be staged. */
    public FlushTask flushTask() {
        checkNothingStaged();
        return flushes.take(tail.end(), producers, settings);
    }

    /** Loop: takes a task back, run or not; moves {@link #recoveryPoint} if it succeeded. */
    public void completed(FlushTask task) throws IOException {
        flushes.completed(task);
    }

    /**
     * Blocking: writes the history with a new epoch ahead of the batches that bring it (R5.24, R9.20); afterwards it is
     * {@link #epochs}.
     */
    public void persistEpochs(EpochHistory changed) throws IOException {
        if (epochs.writeAhead(changed)) {
            // Recovery after a loss of power scans from the recovery point only: what it takes from the file for the
            // records before must be certain when that point moves.
            flushes.directoryChanged();
        }
    }

    /** Blocking: syncs and stores everything, so that nothing need be scanned after an orderly stop. Ends the log. */
    public void close() throws IOException {
        checkNothingStaged();
        Check.that(!flushes.underWay(), "a log is not closed during a flush");
        persistEpochs(epochs.history());
        for (Segment segment : segments.from(flushes.recoveryPoint())) {
            segment.file().sync();
        }
        segments.syncDirectory();
        storeIndexOf(segments.active());
        index.putSnapshot(id, tail.end(), producers.toBytes());
        flushes.synced(tail.end());
        broken = true;
        segments.close();
    }

    /** Blocking: gives the files up without storing or syncing anything: after a failure, or before deletion. */
    public void abandon() throws IOException {
        broken = true;
        segments.close();
    }

    private void storeIndexOf(Segment segment) throws IOException {
        index.put(id, segment.base(), segment.index.takeUnstored(segment.size, settings.storedIndexBytes()));
        index.putSummary(
                id,
                segment.base(),
                new SegmentSummary(
                        segment.size,
                        tail.end(),
                        segment.maxTimestamp,
                        epochs.history().epochAt(tail.end() - 1)));
    }

    // ---------------------------------------------------------------------------------------------- truncation

    /**
     * Blocking: cuts the log at {@code target}, or at the start of the batch that contains it (S36), and returns the new
     * end. Everything about the cut is durable on return (B22), also the epoch history without what starts at or above
     * the end (R6.22), which is done even if nothing is cut. No flush may be under way.
     */
    public long truncateTo(long target) throws IOException {
        checkNothingStaged();
        Check.that(!flushes.underWay(), "a log is not truncated during a flush");
        Check.that(target >= 0, "truncation to an offset", target, tail.end());
        if (target >= tail.end()) {
            epochs.cut(epochs.history().truncateFromEnd(target));
            return tail.end();
        }
        if (target < segments.first().base()) {
            truncateFullyAndStartAt(target);
            return tail.end();
        }
        cut(truncation.at(target, tail.end()));
        return tail.end();
    }

    private void cut(LogTruncation.Cut cut) throws IOException {
        reader.truncated();
        lowerCheckpoints(cut.end());
        truncation.perform(cut, settings);
        tail.moveTo(cut.end());
        flushes.snapshotAt(cut.last().base());
        epochs.cut(epochs.history().truncateFromEnd(cut.end()));
        producers = LogScan.producersAt(id, segments, index, cut.end());
    }

    /** Blocking: drops everything and starts an empty log at {@code offset} (R6.24, R6.35); durable on return. */
    public void truncateFullyAndStartAt(long offset) throws IOException {
        checkNothingStaged();
        Check.that(!flushes.underWay(), "a log is not truncated during a flush");
        reader.truncated();
        // Below the first segment: a loss of power may bring any of them back, and what is left then must be looked at.
        lowerCheckpoints(Math.min(offset, segments.first().base()));
        truncation.fully(offset);
        tail.moveTo(offset);
        logStart = offset;
        flushes.restartAt(offset);
        producers = new ProducerStates();
        epochs.cut(EpochHistory.EMPTY);
    }

    private void lowerCheckpoints(long newEnd) throws IOException {
        // First here: whoever writes the checkpoints meanwhile must not put the old values back.
        flushes.lower(newEnd);
        logStart = Math.min(logStart, newEnd);
        guard.beforeCut(flushes.recoveryPoint(), newEnd);
    }

    // ---------------------------------------------------------------------------------------------- retention

    /**
     * Loop: raises the first readable offset (R3.25; the caller holds R3.13); never lowers it. Segments go later, with
     * {@link #deleteOldSegments}.
     */
    public void raiseLogStart(long offset) {
        Check.that(offset <= tail.end(), "the log start stays at or below the end", offset, tail.end());
        if (offset > logStart) {
            logStart = offset;
            epochs.dropBelow(offset);
        }
    }

    /** R5.35: producers that are silent for too long are forgotten. */
    public void forgetSilentProducers(long nowMs) {
        producers.expire(nowMs, settings.producerIdExpirationMs());
    }

    /**
     * Blocking: deletes the oldest segments that lie wholly below the log start, and those that retention gives up and
     * that lie wholly below {@code highWatermark} (R3.17). An active segment that retention gives up is rolled first.
     * Returns the number deleted. No flush may be under way.
     */
    public int deleteOldSegments(long nowMs, long highWatermark) throws IOException {
        checkNothingStaged();
        Check.that(!flushes.underWay(), "segments are not deleted during a flush");
        long size = sizeInBytes();
        LogRetention retention = new LogRetention(settings, times(), nowMs);
        int deleted = 0;
        while (true) {
            Segment oldest = segments.first();
            long oldestEnd = segments.endOf(oldest, tail.end());
            boolean expired = retention.isExpired(oldest);
            boolean tooMuch = retention.isTooMuch(size, oldest);
            boolean retired = oldest.size > 0 && oldestEnd <= highWatermark && (expired || tooMuch);
            if (oldest == segments.active() && expired && retired) {
                roll();
            }
            if (oldest == segments.active() || !(retired || oldestEnd <= logStart)) {
                break;
            }
            raiseLogStart(oldestEnd);
            size -= oldest.size;
            segments.deleteFirst();
            index.deleteSegment(id, oldest.base());
            deleted++;
        }
        if (deleted > 0) {
            segments.syncDirectory();
            // Only now: a history that starts above the first segment would have to be rebuilt after a crash.
            persistEpochs(epochs.history());
            index.deleteSnapshots(id, 0, segments.first().base());
        }
        return deleted;
    }

    // ---------------------------------------------------------------------------------------------- time

    /** Blocking: the first record at or above the log start and below {@code maxOffset} with this timestamp or later. */
    public Optional<TimestampLookup.Found> offsetForTimestamp(long timestamp, long maxOffset) throws IOException {
        return times().firstAtOrAfter(timestamp, logStart, maxOffset);
    }

    /** Blocking: the first record with the largest timestamp of the log, if there is one below {@code maxOffset}. */
    public Optional<TimestampLookup.Found> offsetOfMaxTimestamp(long maxOffset) throws IOException {
        return times().largest(logStart, maxOffset);
    }

    private TimestampLookup times() {
        return new TimestampLookup(id, segments, index, settings, tail.end());
    }

    private void checkNothingStaged() {
        Check.that(!broken, "a log that failed or was closed is not used");
        Check.that(tail.nothingStaged(), "staged batches are written before anything else");
    }

    void producers(ProducerStates recovered) {
        this.producers = recovered;
    }

    SegmentList segments() {
        return segments;
    }
}
