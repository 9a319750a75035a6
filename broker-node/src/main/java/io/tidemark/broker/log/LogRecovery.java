package io.tidemark.broker.log;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Opens one log. How much is read depends on how the last run ended:
 *
 * <pre>
 *  orderly stop             nothing is scanned
 *  same kernel boot         the active segment from its last stored index entry on, of what lies below the checkpointed high
 *                           watermark only the headers: writes survived the process
 *  another boot             every byte from the recovery point on, whatever the index says
 * </pre>
 *
 * The log is cut at the first batch that is partial, has a wrong checksum or offset, or a smaller epoch than the one
 * before it (B22). Index, epoch history and producer states are rebuilt when they are missing or do not fit (B10).
 */
public final class LogRecovery {
    /**
     * What the data directory knows of a log before it is read.
     *
     * @param clean the last run stopped orderly
     * @param sameBoot the last run was on this boot of the kernel and this mount
     * @param highWatermark, logStart, recoveryPoint from the checkpoints, 0 if they name none
     */
    public record Known(boolean clean, boolean sameBoot, long highWatermark, long logStart, long recoveryPoint) {
        /** Of a log that is created. */
        public static final Known NEW = new Known(true, true, 0, 0, 0);
    }

    private final Disk disk;
    private final OffsetIndex index;
    private final PartitionId id;
    private final LogSettings settings;
    private final Known known;
    private final SegmentLog.CheckpointGuard guard;
    private final EpochCheckpoint epochCheckpoint;
    private final SegmentList segments;

    private EpochHistory history = EpochHistory.EMPTY;
    private long end;
    private int lastEpoch = -1;
    private boolean cut;

    private LogRecovery(
            Disk disk,
            OffsetIndex index,
            PartitionId id,
            Path directory,
            LogSettings settings,
            Known known,
            SegmentLog.CheckpointGuard guard)
            throws IOException {
        this.guard = guard;
        this.disk = disk;
        this.index = index;
        this.id = id;
        this.settings = settings;
        this.known = known;
        this.epochCheckpoint = new EpochCheckpoint(disk, directory);
        this.segments = SegmentList.load(disk, directory);
    }

    /** Blocking: recovers the log in {@code directory}, which exists. */
    static OpenedLog open(
            Disk disk,
            OffsetIndex index,
            PartitionId id,
            Path directory,
            LogSettings settings,
            Known known,
            SegmentLog.CheckpointGuard guard)
            throws IOException {
        LogRecovery recovery = new LogRecovery(disk, index, id, directory, settings, known, guard);
        try {
            return recovery.run();
        } catch (IOException | RuntimeException e) {
            recovery.segments.close();
            throw e;
        }
    }

    private OpenedLog run() throws IOException {
        if (segments.isEmpty()) {
            // Its name becomes durable with the first flush, before which no record is.
            segments.create(known.logStart());
        }
        Optional<EpochHistory> checkpointed = epochCheckpoint.read();
        history = checkpointed.orElse(EpochHistory.EMPTY);
        if (!(known.clean() && adoptActive())) {
            scan();
            repairSealed();
        }
        if (!known.clean() && !known.sameBoot()) {
            forgetBehindEnd();
        }

        long logStart = Math.max(known.logStart(), segments.first().base());
        history = history.truncateFromEnd(end).truncateFromStart(Math.min(logStart, end));
        if (end > segments.first().base() && !explains(logStart)) {
            history = rebuiltHistory().truncateFromStart(Math.min(logStart, end));
        }
        if (!history.equals(checkpointed.orElse(EpochHistory.EMPTY))) {
            epochCheckpoint.write(history);
        }

        long synced = known.clean()
                ? end
                : Math.min(end, Math.max(known.recoveryPoint(), segments.first().base()));
        guard.beforeCut(synced, Math.max(logStart, end));
        SegmentLog.Bounds bounds = new SegmentLog.Bounds(Math.min(logStart, end), end, synced);
        SegmentLog log = new SegmentLog(
                id, segments, index, new StoredEpochs(epochCheckpoint, history), guard, settings, bounds);
        if (logStart > end) {
            // Records were deleted up to there, and a crash took what came after: nothing readable is left.
            log.truncateFullyAndStartAt(logStart);
        } else {
            log.producers(LogScan.producersAt(id, segments, index, end));
        }
        long highWatermark = Math.max(log.logStartOffset(), Math.min(exposed(), log.logEndOffset()));
        if (settings.synced() && log.recoveryPoint() < log.logEndOffset()) {
            // The replica begins by counting all that is here (B16).
            FlushTask task = log.flushTask();
            task.run();
            log.completed(task);
        }
        boolean syncedLost = !known.clean() && end < known.recoveryPoint();
        return new OpenedLog(log, highWatermark, cut, syncedLost);
    }

    /**
     * The mark, as far as what lies below it is what lay there when it was stored. What was not synced may have come back
     * as it was before a truncation: a process that died between cutting and syncing leaves that to the next run, whose
     * writes need no sync either. A lower mark is always sound (R3.16).
     */
    private long exposed() {
        boolean asWritten = known.clean() || known.sameBoot();
        return asWritten ? known.highWatermark() : Math.min(known.highWatermark(), known.recoveryPoint());
    }

    /** After an orderly stop: the active segment as its summary describes it. False if there is no such summary. */
    private boolean adoptActive() throws IOException {
        Segment active = segments.active();
        if (active.size == 0) {
            active.index = new MemoryIndex();
            end = active.base();
            lastEpoch = lastEpochBefore(active);
            return true;
        }
        Optional<SegmentSummary> summary = LogScan.storedSummary(id, active, index);
        List<IndexEntry> entries = LogScan.trustedEntries(id, active, index, Long.MAX_VALUE);
        if (summary.isEmpty() || entries.isEmpty()) {
            return false;
        }
        active.index = new MemoryIndex();
        active.index.addStored(entries);
        active.maxTimestamp = summary.get().maxTimestamp();
        active.firstTimestamp = LogScan.firstHeader(active).maxTimestamp();
        end = summary.get().endOffset();
        lastEpoch = summary.get().lastEpoch();
        return true;
    }

    private void scan() throws IOException {
        boolean trustWrites = known.clean() || known.sameBoot();
        long from = trustWrites ? segments.active().base() : known.recoveryPoint();
        long trustIndexTo = trustWrites ? Long.MAX_VALUE : from;
        List<Segment> suspects = List.copyOf(segments.from(from));
        Segment first = suspects.get(0);
        List<IndexEntry> trusted = LogScan.trustedEntries(id, first, index, trustIndexTo);
        end = trusted.isEmpty() ? first.base() : trusted.get(trusted.size() - 1).offset();
        boolean untrue = trusted.isEmpty() && !index.entries(id, first.base()).isEmpty();
        if (!trustWrites || untrue) {
            index.truncate(id, first.base(), trusted.isEmpty() ? first.base() : end + 1);
        }
        history = history.truncateFromEnd(end);
        for (Segment segment : suspects) {
            segment.index = new MemoryIndex();
            segment.index.addStored(segment == first ? trusted : List.of());
            LogScan.Tail tail = LogScan.tail(segment, settings, trustWrites ? known.highWatermark() : 0, this::accept);
            long expectedEnd = segments.endOf(segment, end);
            if (tail.damage() != null || expectedEnd != end) {
                cutAt(segment, tail.position());
                break;
            }
        }
        for (Segment segment : segments.from(first.base())) {
            if (segment != segments.active()) {
                // Walked wholly just now, so this stores what was found without a further look at the file.
                index.put(id, segment.base(), segment.index.takeUnstored(segment.size, settings.storedIndexBytes()));
                segment.index = null;
            }
        }
    }

    /**
     * The power may have taken the end of the log but not what the index says of it. That must be gone for good before
     * other batches get the same offsets: a deletion that a crash undoes would bring it back.
     */
    private void forgetBehindEnd() throws IOException {
        index.deleteSnapshots(id, end + 1, Long.MAX_VALUE);
        index.flush();
    }

    private boolean accept(BatchHeader header) {
        if (header.baseOffset() != end || header.leaderEpoch() < lastEpoch) {
            return false;
        }
        lastEpoch = header.leaderEpoch();
        history = history.assign(lastEpoch, end);
        end = header.nextOffset();
        return true;
    }

    private void cutAt(Segment segment, int position) throws IOException {
        cut = true;
        if (!settings.synced() || end < known.recoveryPoint()) {
            guard.beforeLoss();
        }
        index.truncate(id, segment.base(), end);
        index.deleteSnapshots(id, end + 1, Long.MAX_VALUE);
        index.flush();
        segments.deleteFrom(segment.base() + 1);
        segment.file().truncate(position);
        segment.file().sync();
        segment.size = position;
    }

    /** The newest index writes die with the process: what they said of segments rolled since is made again. */
    private void repairSealed() throws IOException {
        for (Segment segment : segments.newestFirst()) {
            if (segment != segments.active()) {
                if (LogScan.storedSummary(id, segment, index).isPresent()) {
                    break;
                }
                LogScan.summaryOf(id, segment, index, segments.endOf(segment, end), settings);
            }
        }
        if (lastEpoch < 0) {
            lastEpoch = lastEpochBefore(segments.active());
        }
    }

    private int lastEpochBefore(Segment segment) throws IOException {
        if (segment == segments.first()) {
            return -1;
        }
        Segment previous = segments.holding(segment.base() - 1);
        return LogScan.summaryOf(id, previous, index, segment.base(), settings).lastEpoch();
    }

    /** I8: whether the history covers the log and agrees with its first and its last batch. */
    private boolean explains(long logStart) throws IOException {
        long first = segments.first().base();
        return !history.isEmpty()
                && history.latestEpoch() == lastEpoch
                && history.entries().get(0).offset() <= logStart
                && (first < logStart
                        || history.epochAt(first)
                                == LogScan.firstHeader(segments.first()).leaderEpoch());
    }

    private EpochHistory rebuiltHistory() throws IOException {
        EpochHistory[] rebuilt = {EpochHistory.EMPTY};
        LogScan.headers(
                id,
                segments,
                index,
                segments.first().base(),
                end,
                header -> rebuilt[0] = rebuilt[0].assign(header.leaderEpoch(), header.baseOffset()));
        return rebuilt[0];
    }
}
