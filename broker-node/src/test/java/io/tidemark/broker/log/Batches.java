package io.tidemark.broker.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Real v2 batches for tests, made by Kafka's own code. */
final class Batches {
    private Batches() {}

    /** One batch of {@code count} records; record i has timestamp {@code timestamp + i} and a value of its offset. */
    static ByteBuffer batch(long base, int epoch, int count, long timestamp) {
        return MemoryRecords.withRecords(base, Compression.NONE, epoch, records(base, count, timestamp))
                .buffer();
    }

    static ByteBuffer compressed(long base, int epoch, int count, long timestamp) {
        return MemoryRecords.withRecords(base, Compression.gzip().build(), epoch, records(base, count, timestamp))
                .buffer();
    }

    static ByteBuffer idempotent(long base, int epoch, int count, long producerId, short producerEpoch, int sequence) {
        return MemoryRecords.withIdempotentRecords(
                        base, Compression.NONE, producerId, producerEpoch, sequence, epoch, records(base, count, base))
                .buffer();
    }

    static ByteBuffer together(ByteBuffer... batches) {
        int size = 0;
        for (ByteBuffer batch : batches) {
            size += batch.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        for (ByteBuffer batch : batches) {
            all.put(batch.duplicate());
        }
        return all.flip();
    }

    /** "base-last@epoch" of each batch in {@code bytes}, whose checksums must hold. */
    static List<String> describe(ByteBuffer bytes) {
        List<String> batches = new ArrayList<>();
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
            batch.ensureValid();
            batches.add(batch.baseOffset() + "-" + batch.lastOffset() + "@" + batch.partitionLeaderEpoch());
        }
        return batches;
    }

    private static SimpleRecord[] records(long base, int count, long timestamp) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = new SimpleRecord(
                    timestamp + i, String.format("value %06d", base + i).getBytes(StandardCharsets.US_ASCII));
        }
        return records;
    }
}
