package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/** Finds records by timestamp, exactly: the index names the region, the records of its batches decide. */
public final class TimestampLookup {
    private TimestampLookup() {}

    /** A record, with its timestamp in ms and the epoch of its batch. */
    public record Found(long offset, long timestamp, int epoch) {}

    static Optional<Found> find(Segment segment, MemoryIndex index, long timestamp, long from, long to)
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
