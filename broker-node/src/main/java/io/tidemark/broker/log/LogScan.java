package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Reads batch headers of a whole log, off the loop. */
final class LogScan {
    private LogScan() {}

    /** Hands over the headers of all batches that end above {@code from} and start below {@code to}, in order. */
    static void headers(
            PartitionId log,
            SegmentList segments,
            OffsetIndex index,
            long from,
            long to,
            Consumer<BatchHeader> consumer)
            throws IOException {
        if (from >= to) {
            return;
        }
        for (Segment segment : segments.from(from)) {
            int start = segment.base() >= from ? 0 : positionAtOrBefore(log, segment, index, from);
            BatchScanner scanner = new BatchScanner(segment.file(), start, segment.size, BatchScanner.BULK, false);
            BatchHeader header = scanner.next();
            while (header != null && header.baseOffset() < to) {
                if (header.nextOffset() > from) {
                    consumer.accept(header);
                }
                header = scanner.next();
            }
            if (header != null) {
                return;
            }
            if (scanner.damage() != null) {
                throw new IOException(segment.path() + ": " + scanner.damage());
            }
        }
    }

    /** A batch boundary of the segment at or before {@code offset}, near it if the index is good, else 0. */
    static int positionAtOrBefore(PartitionId log, Segment segment, OffsetIndex index, long offset) throws IOException {
        if (segment.index != null) {
            int entry = segment.index.floorOffset(offset);
            return entry < 0 ? 0 : segment.index.get(entry).position();
        }
        var entry = index.floor(log, segment.base(), offset);
        return entry.isPresent() && pointsAtBatch(segment, entry.get(), false)
                ? entry.get().position()
                : 0;
    }

    /** Whether the batch that an index entry speaks of is really there (and, if asked, has the right checksum). */
    static boolean pointsAtBatch(Segment segment, IndexEntry entry, boolean checkSum) throws IOException {
        if (entry.position() >= segment.size) {
            return false;
        }
        BatchHeader header =
                new BatchScanner(segment.file(), entry.position(), segment.size, BatchScanner.NEAR, checkSum).next();
        return header != null && header.baseOffset() == entry.offset();
    }

    /** Entries of the stored index up to {@code offset}, or none if the newest of them is not true of the file. */
    static List<IndexEntry> trustedEntries(PartitionId log, Segment segment, OffsetIndex index, long offset)
            throws IOException {
        List<IndexEntry> entries = index.entries(log, segment.base()).stream()
                .filter(entry -> entry.offset() <= offset)
                .toList();
        return entries.isEmpty() || pointsAtBatch(segment, entries.get(entries.size() - 1), true) ? entries : List.of();
    }

    /** How far a walk got: the position behind the last good batch, and what is wrong behind it (null if nothing). */
    record Tail(int position, String damage) {}

    /**
     * Walks from the last entry of the segment's memory index to the end of the file, adds entries, and sets the
     * segment's timestamps. A batch that {@code good} refuses is damage, and one that ends above the offset
     * {@code checkedAbove} and has another checksum.
     */
    static Tail tail(Segment segment, LogSettings settings, long checkedAbove, Predicate<BatchHeader> good)
            throws IOException {
        int from = 0;
        segment.firstTimestamp = -1;
        segment.maxTimestamp = -1;
        if (!segment.index.isEmpty()) {
            IndexEntry last = segment.index.last();
            from = last.position();
            segment.maxTimestamp = last.maxTimestampBefore();
        }
        if (from > 0) {
            segment.firstTimestamp = firstHeader(segment).maxTimestamp();
        }
        BatchScanner scanner = new BatchScanner(segment.file(), from, segment.size, BatchScanner.BULK, checkedAbove);
        for (BatchHeader header = scanner.next(); header != null; header = scanner.next()) {
            int position = scanner.batchPosition();
            if (!good.test(header)) {
                return new Tail(position, "offset or epoch out of order at position " + position);
            }
            if (position == 0) {
                segment.firstTimestamp = header.maxTimestamp();
            }
            segment.index.offer(header.baseOffset(), position, segment.maxTimestamp, settings.memoryIndexBytes());
            segment.maxTimestamp = Math.max(segment.maxTimestamp, header.maxTimestamp());
        }
        return new Tail(scanner.position(), scanner.damage());
    }

    /** The header of the first batch of a segment that holds one. */
    static BatchHeader firstHeader(Segment segment) throws IOException {
        BatchScanner scanner = new BatchScanner(segment.file(), 0, segment.size, BatchScanner.NEAR, false);
        BatchHeader header = scanner.next();
        if (header == null) {
            throw new IOException(segment.path() + ": no first batch: " + scanner.damage());
        }
        return header;
    }

    /** The stored summary, if it speaks for the file as it is. */
    static Optional<SegmentSummary> storedSummary(PartitionId log, Segment segment, OffsetIndex index)
            throws IOException {
        return index.summary(log, segment.base()).filter(summary -> summary.size() == segment.size);
    }

    /** The summary of a segment that is not written to; made, and stored with missing index entries, if need be. */
    static SegmentSummary summaryOf(PartitionId log, Segment segment, OffsetIndex index, long end, LogSettings settings)
            throws IOException {
        Optional<SegmentSummary> stored = storedSummary(log, segment, index);
        if (stored.isPresent()) {
            return stored.get();
        }
        List<IndexEntry> trusted = trustedEntries(log, segment, index, Long.MAX_VALUE);
        if (trusted.isEmpty()) {
            index.deleteSegment(log, segment.base());
        }
        Segment copy = segment.withIndex(trusted);
        int[] lastEpoch = {-1};
        try {
            Tail tail = tail(copy, settings, Long.MAX_VALUE, header -> {
                lastEpoch[0] = header.leaderEpoch();
                return true;
            });
            if (tail.damage() != null) {
                throw new IOException(segment.path() + ": " + tail.damage());
            }
        } finally {
            copy.release();
        }
        index.put(log, segment.base(), copy.index.takeUnstored(copy.size, settings.storedIndexBytes()));
        SegmentSummary summary = new SegmentSummary(segment.size, end, copy.maxTimestamp, lastEpoch[0]);
        index.putSummary(log, segment.base(), summary);
        return summary;
    }

    /** R5.35: the producers as they were when the log ended at {@code end}: newest usable snapshot, then the batches. */
    static ProducerStates producersAt(PartitionId log, SegmentList segments, OffsetIndex index, long end)
            throws IOException {
        long from = segments.first().base();
        ProducerStates states = new ProducerStates();
        Optional<OffsetIndex.Snapshot> snapshot = index.newestSnapshot(log, end);
        Optional<ProducerStates> kept = snapshot.flatMap(found -> ProducerStates.fromBytes(found.states()));
        if (kept.isPresent() && snapshot.get().offset() >= from) {
            states = kept.get();
            from = snapshot.get().offset();
        }
        headers(log, segments, index, from, end, states::append);
        return states;
    }
}
