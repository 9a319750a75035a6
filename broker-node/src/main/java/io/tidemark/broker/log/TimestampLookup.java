package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/** Finds records by timestamp, exactly: the index names the region, the records of its batches decide. */
public final class TimestampLookup {
    private final PartitionId id;
    private final SegmentList segments;
    private final OffsetIndex index;
    private final LogSettings settings;
    private final long end;

    TimestampLookup(PartitionId id, SegmentList segments, OffsetIndex index, LogSettings settings, long end) {
        this.id = id;
        this.segments = segments;
        this.index = index;
        this.settings = settings;
        this.end = end;
    }

    /** A record, with its timestamp in ms and the epoch of its batch. */
    public record Found(long offset, long timestamp, int epoch) {}

    /** The first record with {@code timestamp} or a later one whose offset lies in [from, to). */
    Optional<Found> firstAtOrAfter(long timestamp, long from, long to) throws IOException {
        for (Segment segment : segments.from(from)) {
            if (maxTimestampOf(segment) >= timestamp) {
                Optional<Found> found = find(segment, indexOf(segment), timestamp, from, to);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** The first record with the largest timestamp of the log, if its offset lies in [from, to). */
    Optional<Found> largest(long from, long to) throws IOException {
        long largest = -1;
        for (Segment segment : segments.from(from)) {
            largest = Math.max(largest, maxTimestampOf(segment));
        }
        return largest < 0 ? Optional.empty() : firstAtOrAfter(largest, from, to);
    }

    /** The largest timestamp of a segment in ms, -1 if its records have none. */
    long maxTimestampOf(Segment segment) throws IOException {
        if (segment.index == null && segment.maxTimestamp < 0) {
            segment.maxTimestamp = LogScan.summaryOf(id, segment, index, segments.endOf(segment, end), settings)
                    .maxTimestamp();
        }
        return segment.maxTimestamp;
    }

    private MemoryIndex indexOf(Segment segment) throws IOException {
        if (segment.index != null) {
            return segment.index;
        }
        MemoryIndex stored = new MemoryIndex();
        stored.addStored(LogScan.trustedEntries(id, segment, index, Long.MAX_VALUE));
        return stored;
    }

    private static Optional<Found> find(Segment segment, MemoryIndex index, long timestamp, long from, long to)
            throws IOException {
        BatchScanner scanner =
                new BatchScanner(segment.file(), startFor(index, timestamp), segment.size, BatchScanner.BULK, false);
        BatchHeader header = scanner.next();
        while (header != null && header.baseOffset() < to) {
            if (header.maxTimestamp() >= timestamp && header.nextOffset() > from && !header.isControl()) {
                Optional<Found> found = findInBatch(segment, scanner.batchPosition(), header, timestamp, from);
                if (found.isPresent()) {
                    return found.filter(record -> record.offset() < to);
                }
            }
            header = scanner.next();
        }
        return Optional.empty();
    }

    /** No batch before the last entry with only smaller timestamps before it can hold the record. */
    private static int startFor(MemoryIndex index, long timestamp) {
        int low = 0;
        int high = index.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (index.get(middle).maxTimestampBefore() < timestamp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : index.get(low - 1).position();
    }

    private static Optional<Found> findInBatch(
            Segment segment, int position, BatchHeader header, long timestamp, long from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(header.sizeInBytes());
        if (segment.file().read(bytes, position) != header.sizeInBytes()) {
            throw new IOException(segment.path() + ": the file ends inside a batch");
        }
        for (Record record : MemoryRecords.readableRecords(bytes.flip()).records()) {
            if (record.timestamp() >= timestamp && record.offset() >= from) {
                return Optional.of(new Found(record.offset(), record.timestamp(), header.leaderEpoch()));
            }
        }
        return Optional.empty();
    }
}
