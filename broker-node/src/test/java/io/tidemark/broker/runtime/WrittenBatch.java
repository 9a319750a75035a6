package io.tidemark.broker.runtime;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.ReplicaError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** A batch of so many records whose answer, the base offset or the error, is added to a list. */
final class WrittenBatch implements ClientBatch {
    private final ByteBuffer bytes;
    private final List<String> answers;

    WrittenBatch(int count, List<String> answers) {
        this.answers = answers;
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            records[i] = new SimpleRecord(("value-" + i).getBytes(StandardCharsets.UTF_8));
        }
        bytes = MemoryRecords.withRecords(Compression.NONE, records).buffer();
    }

    @Override
    public BatchHeader header() {
        return BatchHeader.read(bytes, 0);
    }

    @Override
    public ByteBuffer validated(TopicSettings settings, long baseOffset, int leaderEpoch) {
        BatchHeader.assign(bytes, 0, baseOffset, leaderEpoch);
        return bytes;
    }

    @Override
    public void release() {}

    @Override
    public void answered(ReplicaError error, long baseOffset, long logStart, String message, RefusedException cause) {
        answers.add(error == ReplicaError.NONE ? String.valueOf(baseOffset) : error.name());
    }
}
