package io.tidemark.broker.api;

import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.runtime.TopicSettings;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Checking a client's batch, checksum and records, as the leader does before it appends. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ValidationBenchmark {
    private static final int BATCH_BYTES = 64 << 10;
    private static final TopicPartition NAME = new TopicPartition("bench", 0);

    @Param({"100", "1000"})
    private int recordBytes;

    @Param({"none", "lz4"})
    private String compression;

    private final TopicSettings settings = TopicSettings.defaults(LogSettings.DEFAULTS);
    private FakeCall call;
    private ByteBuffer batch;

    @Setup
    public void make() {
        SimpleRecord[] records = new SimpleRecord[BATCH_BYTES / recordBytes];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(System.currentTimeMillis(), new byte[recordBytes]);
        }
        ByteBuffer heap = MemoryRecords.withRecords(Compression.of(compression).build(), records)
                .buffer();
        // Frames from the network are direct buffers.
        batch = ByteBuffer.allocateDirect(heap.remaining()).put(heap).flip();
        call = new FakeCall(new ApiVersionsRequest.Builder(new ApiVersionsRequestData(), (short) 0, (short) 0).build());
    }

    @Benchmark
    public ByteBuffer validate() {
        // As a client sends it: the offset that the last call wrote would force compressed batches to be rebuilt.
        batch.putLong(0, 0);
        ProducedBatch produced = ProducedBatch.of(
                NAME,
                MemoryRecords.readableRecords(batch.duplicate()),
                call,
                (error, base, start, time, text, cause) -> {});
        return produced.validated(settings, 0, 1);
    }
}
