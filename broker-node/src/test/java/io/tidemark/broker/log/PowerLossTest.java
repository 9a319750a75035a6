package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.EpochHistory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Whatever a log did before the power went: it comes back as a prefix of what it was, with everything that was synced,
 * and never with bytes that a truncation had removed.
 */
class PowerLossTest {
    private static final Path ROOT = Path.of("/sim");
    private static final Path DIRECTORY = ROOT.resolve("t-3");
    private static final LogSettings SETTINGS =
            LogSettings.DEFAULTS.withIndexSpacing(150, 300).withHotBytes(500).withFlushBytes(400);

    /** One log, the checkpoint of its recovery point, and the batches it should hold. */
    private static final class Course {
        final Random random;
        final SimDisk disk;
        final MemoryOffsetIndex index = new MemoryOffsetIndex();
        final List<ByteBuffer> batches = new ArrayList<>();
        SegmentLog log;
        long checkpoint;
        int epoch;

        Course(long seed) throws IOException {
            random = new Random(seed);
            disk = new SimDisk(random);
            disk.createDirectory(DIRECTORY);
            open(LogRecovery.Known.NEW);
        }

        OpenedLog open(LogRecovery.Known known) throws IOException {
            OpenedLog opened = LogRecovery.open(
                    disk,
                    index,
                    LogRig.ID,
                    DIRECTORY,
                    SETTINGS,
                    known,
                    (point, end) -> checkpoint = Math.min(checkpoint, point));
            log = opened.log();
            return opened;
        }

        void step() throws IOException {
            switch (random.nextInt(12)) {
                case 0 -> log.roll();
                case 1, 2 -> flush();
                case 3 -> truncate();
                case 4 -> index.flush();
                case 5 -> checkpoint = log.recoveryPoint();
                case 6 -> {
                    log.abandon();
                    if (random.nextBoolean()) {
                        index.crash();
                    }
                    OpenedLog opened = open(new LogRecovery.Known(false, true, 0, 0, checkpoint));
                    assertThat(opened.cut()).isFalse();
                }
                default -> append();
            }
        }

        private void append() throws IOException {
            if (random.nextInt(4) == 0) {
                epoch++;
            }
            log.persistEpochs(log.epochs().assign(epoch, log.logEndOffset()));
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                long base = log.stagedEndOffset();
                ByteBuffer batch = Batches.idempotent(
                        base, epoch, 1 + random.nextInt(5), random.nextInt(3), (short) 0, (int) base);
                log.stage(batch, epoch);
                batches.add(batch);
            }
            log.write();
        }

        private void flush() throws IOException {
            FlushTask task = log.flushTask();
            task.run();
            log.completed(task);
        }

        private void truncate() throws IOException {
            long target = (long) (random.nextDouble() * (log.logEndOffset() + 1));
            long end = log.truncateTo(target);
            batches.removeIf(batch -> batch.getLong(0) >= end);
        }

        /** Loses power, recovers, and compares. */
        void losePower() throws IOException {
            long synced = log.recoveryPoint();
            log.abandon();
            disk.losePower();
            if (random.nextBoolean()) {
                index.crash();
            }
            open(new LogRecovery.Known(false, false, 0, 0, checkpoint));

            assertThat(log.logEndOffset()).isGreaterThanOrEqualTo(synced);
            long end = log.logEndOffset();
            batches.removeIf(batch -> batch.getLong(0) >= end);
            holds();
        }

        void holds() throws IOException {
            EpochHistory epochs = EpochHistory.EMPTY;
            ProducerStates producers = new ProducerStates();
            for (ByteBuffer batch : batches) {
                BatchHeader header = BatchHeader.read(batch, 0);
                epochs = epochs.assign(header.leaderEpoch(), header.baseOffset());
                producers.append(header);
            }
            assertThat(log.epochs().truncateFromEnd(log.logEndOffset())).isEqualTo(epochs);
            assertThat(log.producers()).isEqualTo(producers);
            assertThat(bytes()).isEqualTo(Batches.together(batches.toArray(ByteBuffer[]::new)));
        }

        private ByteBuffer bytes() throws IOException {
            List<ByteBuffer> parts = new ArrayList<>();
            long offset = 0;
            while (offset < log.logEndOffset()) {
                ReadResult result = log.read(offset, Long.MAX_VALUE, 700, true);
                if (result instanceof ReadResult.Cold cold) {
                    cold.warm().run();
                    result = log.read(offset, Long.MAX_VALUE, 700, true);
                }
                ReadResult.Slice slice = (ReadResult.Slice) result;
                parts.add(LogRig.bytes(slice));
                slice.slice().release();
                offset = slice.nextOffset();
            }
            return Batches.together(parts.toArray(ByteBuffer[]::new));
        }
    }

    /** Any of the segments that were being deleted may be back; what is left of them is one piece all the same. */
    @Property(tries = 300, shrinking = ShrinkingMode.OFF)
    void aFullTruncationThatIsCutShortLeavesNoGap(@ForAll long seed) throws IOException {
        Course course = new Course(seed);
        for (int i = 0; i < 8; i++) {
            course.append();
            course.log.roll();
        }
        course.flush();
        course.checkpoint = course.log.recoveryPoint();
        int[] deletions = {course.random.nextInt(9)};
        course.disk.faults((operation, path, bytes) -> {
            if (operation == SimDisk.Operation.DELETE && deletions[0]-- == 0) {
                throw new IOException("the power is gone");
            }
        });
        assertThatThrownBy(() -> course.log.truncateFullyAndStartAt(course.log.logEndOffset() + 100))
                .hasMessage("the power is gone");
        course.disk.faults((operation, path, bytes) -> {});
        course.disk.losePower();
        course.open(new LogRecovery.Known(false, false, 0, 0, course.checkpoint));

        long offset = course.log.logStartOffset();
        while (offset < course.log.logEndOffset()) {
            ReadResult result = course.log.read(offset, Long.MAX_VALUE, 1, true);
            if (result instanceof ReadResult.Cold cold) {
                cold.warm().run();
                result = course.log.read(offset, Long.MAX_VALUE, 1, true);
            }
            ReadResult.Slice slice = (ReadResult.Slice) result;
            assertThat(BatchHeader.read(LogRig.bytes(slice), 0).baseOffset()).isEqualTo(offset);
            slice.slice().release();
            offset = slice.nextOffset();
        }
    }

    /** A partition whose creation was not flushed may be gone, may be there, and may always be created again. */
    @Property(tries = 300, shrinking = ShrinkingMode.OFF)
    void aCreatedLogIsThereOnceItWasFlushed(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        SimDisk disk = new SimDisk(random);
        disk.createDirectory(ROOT);
        MemoryOffsetIndex index = new MemoryOffsetIndex();
        LogName name = new LogName("t", 3);
        long flushed = -1;
        for (int boot = 0; boot < 6; boot++) {
            DataDirectory directory = DataDirectory.open(disk, ROOT, index, "boot " + boot, "run");
            directory.startLoading();
            SegmentLog log;
            if (directory.logs().isEmpty()) {
                assertThat(flushed).isNegative();
                log = directory.createLog(name, LogRig.ID, SETTINGS).log();
            } else {
                log = directory.openLog(directory.logs().get(0), SETTINGS).log();
            }
            directory.allLogsOpened();
            assertThat(log.logEndOffset()).isGreaterThanOrEqualTo(flushed);
            for (int steps = random.nextInt(4); steps > 0; steps--) {
                int epoch = boot;
                log.persistEpochs(log.epochs().assign(epoch, log.logEndOffset()));
                log.stage(Batches.batch(log.stagedEndOffset(), epoch, 3, 0), epoch);
                log.write();
                if (random.nextInt(3) == 0) {
                    FlushTask task = log.flushTask();
                    task.run();
                    log.completed(task);
                    flushed = log.logEndOffset();
                }
            }
            log.abandon();
            disk.losePower();
            if (random.nextBoolean()) {
                index.crash();
            }
        }
    }

    @Property(tries = 300, shrinking = ShrinkingMode.OFF)
    void theLogComesBackAsAPrefixWithAllThatWasSynced(@ForAll long seed) throws IOException {
        Course course = new Course(seed);
        for (int run = 0; run < 6; run++) {
            int steps = course.random.nextInt(25);
            for (int i = 0; i < steps; i++) {
                course.step();
            }
            course.holds();
            course.losePower();
        }
    }
}
