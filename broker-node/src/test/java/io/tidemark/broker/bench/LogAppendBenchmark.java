package io.tidemark.broker.bench;

import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Appending a batch that is valid already, beside writing the same bytes to a file. Both start over after the same
 * number of bytes, so that both write into files that grow and are cut.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class LogAppendBenchmark {
    private static final long START_OVER_BYTES = 128 << 20;
    private static final int EPOCH_POSITION = 12;
    private static final int EPOCH = 1;

    @Param({"1024", "102400"})
    private int batchBytes;

    private Path root;
    private DataDirectory data;
    private SegmentLog log;
    private FileChannel file;
    private ByteBuffer batch;
    private long position;

    @Setup
    public void open() throws IOException {
        root = Files.createTempDirectory("append-benchmark");
        Files.createDirectories(root.resolve("data"));
        RealDisk disk = new RealDisk();
        data = DataDirectory.open(
                disk, root.resolve("data"), RocksDbIndex.open(disk, root.resolve("index")), "boot", "run");
        data.startLoading();
        data.allLogsOpened();
        log = data.createLog(new LogName("bench", 0), new PartitionId(new TopicId(1, 2), 0), LogSettings.DEFAULTS)
                .log();
        log.persistEpochs(log.epochs().assign(EPOCH, 0));
        file = FileChannel.open(root.resolve("bare"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        ByteBuffer heap = MemoryRecords.withRecords(
                        Compression.NONE, new SimpleRecord(System.currentTimeMillis(), new byte[batchBytes - 80]))
                .buffer();
        // Frames from the network are direct buffers.
        batch = ByteBuffer.allocateDirect(heap.remaining()).put(heap).flip();
    }

    @TearDown
    public void close() throws IOException {
        file.close();
        log.close();
        data.close();
        new RealDisk().delete(root);
    }

    /** What the leader does once the batch is checked: offset and epoch in place, stage, write. */
    @Benchmark
    public long append() throws IOException {
        if (log.sizeInBytes() > START_OVER_BYTES) {
            log.truncateFullyAndStartAt(0);
            log.persistEpochs(log.epochs().assign(EPOCH, 0));
        }
        batch.putLong(0, log.stagedEndOffset());
        batch.putInt(EPOCH_POSITION, EPOCH);
        log.stage(batch, EPOCH);
        return log.write();
    }

    @Benchmark
    public long bareWrite() throws IOException {
        if (position > START_OVER_BYTES) {
            file.truncate(0);
            file.force(true);
            position = 0;
        }
        position += file.write(batch.duplicate(), position);
        return position;
    }
}
