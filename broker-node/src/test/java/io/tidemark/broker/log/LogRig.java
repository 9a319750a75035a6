package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One log on a real disk with a real index, and the ways its process can end. */
final class LogRig implements AutoCloseable {
    static final PartitionId ID = new PartitionId(new TopicId(7, 9), 3);

    final CountingDisk disk = new CountingDisk(new RealDisk());
    final Path root;
    final Path directory;
    final Path indexDirectory;
    final List<Long> lowered = new ArrayList<>();
    LogSettings settings = LogSettings.DEFAULTS.withIndexSpacing(0, 0);
    RocksDbIndex index;
    SegmentLog log;
    OpenedLog opened;

    LogRig(Path root) throws IOException {
        this.root = root;
        this.directory = root.resolve("topic-3");
        this.indexDirectory = root.resolve("index");
        Files.createDirectories(directory);
        this.index = RocksDbIndex.open(disk, indexDirectory);
    }

    static LogRig created(Path root, LogSettings settings) throws IOException {
        LogRig rig = new LogRig(root);
        rig.settings = settings;
        rig.open(LogRecovery.Known.NEW);
        return rig;
    }

    OpenedLog open(LogRecovery.Known known) throws IOException {
        opened = LogRecovery.open(
                disk, index, ID, directory, settings, known, (recoveryPoint, end) -> lowered.add(recoveryPoint));
        log = opened.log();
        return opened;
    }

    /** The process dies: writes survive, the index loses what it had not flushed. */
    void kill() throws IOException {
        log.abandon();
        index.close();
        index = RocksDbIndex.open(disk, indexDirectory);
    }

    /** The process dies at a moment when the index happens to have everything on disk. */
    void killAfterIndexFlush() throws IOException {
        index.flush();
        log.abandon();
    }

    void loseIndex() throws IOException {
        index.close();
        disk.delete(indexDirectory);
        index = RocksDbIndex.open(disk, indexDirectory);
    }

    static LogRecovery.Known clean() {
        return new LogRecovery.Known(true, true, 0, 0, 0);
    }

    static LogRecovery.Known sameBoot() {
        return new LogRecovery.Known(false, true, 0, 0, 0);
    }

    static LogRecovery.Known otherBoot(long recoveryPoint) {
        return new LogRecovery.Known(false, false, 0, 0, recoveryPoint);
    }

    /** Appends one batch of {@code count} records at the end, with timestamps equal to offsets. */
    void append(int epoch, int count) throws IOException {
        append(epoch, Batches.batch(log.stagedEndOffset(), epoch, count, log.stagedEndOffset()));
    }

    void append(int epoch, ByteBuffer batches) throws IOException {
        log.persistEpochs(log.epochs().assign(epoch, log.stagedEndOffset()));
        log.stage(batches, epoch);
        log.write();
    }

    void flush() throws IOException {
        FlushTask task = log.flushTask();
        task.run();
        log.completed(task);
    }

    /** All batches of the log, read one answer after the other and warmed where asked. */
    List<String> contents() throws IOException {
        List<String> batches = new ArrayList<>();
        long offset = log.logStartOffset();
        while (offset < log.logEndOffset()) {
            ReadResult.Slice slice = readSlice(offset, Long.MAX_VALUE, 1 << 20, true);
            batches.addAll(Batches.describe(bytes(slice)));
            assertThat(slice.nextOffset()).isGreaterThan(offset);
            offset = slice.nextOffset();
            slice.slice().release();
        }
        return batches;
    }

    ReadResult.Slice readSlice(long offset, long max, int maxBytes, boolean atLeastOne) throws IOException {
        ReadResult result = read(offset, max, maxBytes, atLeastOne);
        assertThat(result).isInstanceOf(ReadResult.Slice.class);
        return (ReadResult.Slice) result;
    }

    /** A read that is warmed once if cold. */
    ReadResult read(long offset, long max, int maxBytes, boolean atLeastOne) throws IOException {
        ReadResult result = log.read(offset, max, maxBytes, atLeastOne);
        if (result instanceof ReadResult.Cold cold) {
            cold.warm().run();
            result = log.read(offset, max, maxBytes, atLeastOne);
            assertThat(result).isNotInstanceOf(ReadResult.Cold.class);
        }
        return result;
    }

    static ByteBuffer bytes(ReadResult.Slice slice) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(slice.slice().length());
        slice.slice().copyTo(bytes);
        return bytes.flip();
    }

    List<String> segmentFiles() throws IOException {
        return disk.list(directory).stream()
                .filter(name -> name.endsWith(".log"))
                .sorted()
                .toList();
    }

    Path segment(long base) {
        return directory.resolve(Segment.fileName(base));
    }

    /** Flips one bit of a file. */
    static void damage(Path path, long position) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        bytes[Math.toIntExact(position)] ^= 1;
        Files.write(path, bytes);
    }

    @Override
    public void close() throws IOException {
        log.abandon();
        index.close();
    }
}
