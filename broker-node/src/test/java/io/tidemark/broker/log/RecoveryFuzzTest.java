package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tidemark.model.fuzz.Proportion;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever bytes a crash left in a data directory: a log opens at a prefix of them, and from then on as the same log. */
class RecoveryFuzzTest {
    private static final Path DIRECTORY = Path.of("/sim/t-3");
    private static final LogSettings SETTINGS =
            LogSettings.DEFAULTS.withIndexSpacing(150, 300).withHotBytes(500).withFlushBytes(400);
    /** The simulated disk copies a file at every write and truncation; the reader's buffers are apart. */
    private static final int BYTES_PER_BYTE = 1000;

    static Stream<byte[]> segments() {
        ByteBuffer three = Batches.together(
                Batches.batch(0, 1, 3, 10), Batches.compressed(3, 1, 4, 20), Batches.batch(7, 2, 1, 30));
        ByteBuffer producers = Batches.together(
                Batches.idempotent(0, 1, 2, 9, (short) 0, 0), Batches.idempotent(2, 1, 2, 9, (short) 1, 0));
        return Stream.of(0, 1, 2, 4, 7)
                .flatMap(flags -> Stream.of(three, producers)
                        .map(batches -> ByteBuffer.allocate(1 + batches.remaining())
                                .put((byte) (int) flags)
                                .put(batches.duplicate())
                                .array()));
    }

    /** The first byte: 1 = the process died, not the machine; 2 = checksums, 4 = offsets are made right. */
    @Timeout(120)
    @MethodSource("segments")
    @FuzzTest(maxDuration = "3m")
    void aSegment(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] content = new byte[input.length - 1];
        System.arraycopy(input, 1, content, 0, content.length);
        repair(ByteBuffer.wrap(content), (input[0] & 2) != 0, (input[0] & 4) != 0);
        boolean sameBoot = (input[0] & 1) != 0;
        Proportion.hold(content.length, BYTES_PER_BYTE, () -> {
            SimDisk disk = new SimDisk(new Random(1));
            disk.createDirectory(DIRECTORY);
            try (Disk.File file = disk.create(DIRECTORY.resolve(Segment.fileName(0)))) {
                file.write(new ByteBuffer[] {ByteBuffer.wrap(content)}, 0);
            }
            MemoryOffsetIndex index = new MemoryOffsetIndex();
            OpenedLog first = open(disk, index, sameBoot);
            long end = first.log().logEndOffset();
            List<String> batches = contents(first.log());
            var epochs = first.log().epochs();
            first.log().abandon();

            OpenedLog again = open(disk, index, !sameBoot);
            assertThat(again.log().logEndOffset()).isEqualTo(end);
            assertThat(contents(again.log())).isEqualTo(batches);
            assertThat(again.log().epochs()).isEqualTo(epochs);
            again.log().abandon();
        });
    }

    private static OpenedLog open(Disk disk, OffsetIndex index, boolean sameBoot) throws Exception {
        return LogRecovery.open(
                disk,
                index,
                LogRig.ID,
                DIRECTORY,
                SETTINGS,
                new LogRecovery.Known(false, sameBoot, 0, 0, 0),
                (point, end) -> {});
    }

    /** A mutated file rarely has a right checksum; this gives what looks like a batch one. */
    private static void repair(ByteBuffer content, boolean checksums, boolean offsets) {
        long next = 0;
        for (int at = 0; content.limit() - at >= BatchHeader.SIZE; ) {
            BatchHeader header = BatchHeader.read(content, at);
            if (header.sizeInBytes() < BatchHeader.SIZE || header.sizeInBytes() > content.limit() - at) {
                return;
            }
            if (offsets) {
                content.putLong(at, next);
                next += 1L + Math.max(0, header.lastOffsetDelta());
            }
            if (checksums) {
                CRC32C crc = new CRC32C();
                crc.update(
                        content.duplicate().limit(at + header.sizeInBytes()).position(at + BatchHeader.CHECKED_FROM));
                content.putInt(at + 17, (int) crc.getValue());
            }
            at += header.sizeInBytes();
        }
    }

    private static List<String> contents(SegmentLog log) throws Exception {
        List<String> batches = new ArrayList<>();
        long offset = log.logStartOffset();
        while (offset < log.logEndOffset()) {
            ReadResult result = log.read(offset, Long.MAX_VALUE, 1 << 20, true);
            if (result instanceof ReadResult.Cold cold) {
                cold.warm().run();
                result = log.read(offset, Long.MAX_VALUE, 1 << 20, true);
            }
            ReadResult.Slice slice = (ReadResult.Slice) result;
            ByteBuffer bytes = LogRig.bytes(slice);
            for (int at = 0; at < bytes.limit(); ) {
                BatchHeader header = BatchHeader.read(bytes, at);
                assertThat(header.isPlausible()).isTrue();
                batches.add(header.toString());
                at += header.sizeInBytes();
            }
            assertThat(slice.nextOffset()).isGreaterThan(offset);
            offset = slice.nextOffset();
            slice.slice().release();
        }
        return batches;
    }

    static Stream<byte[]> checkpoints() {
        ProducerStates states = new ProducerStates();
        ByteBuffer batch = Batches.idempotent(0, 1, 2, 9, (short) 0, 0);
        states.append(BatchHeader.read(batch, 0));
        return Stream.of(
                states.toBytes(),
                "0\n2\n0 0\n3 17\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                "0\n1\nt 3 17\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** A checkpoint is read or known to be of no use. */
    @Timeout(120)
    @MethodSource("checkpoints")
    @FuzzTest(maxDuration = "3m")
    void aCheckpoint(byte[] input) throws Exception {
        SimDisk disk = new SimDisk(new Random(1));
        disk.createDirectory(DIRECTORY);
        EpochCheckpoint epochs = new EpochCheckpoint(disk, DIRECTORY);
        disk.replace(DIRECTORY.resolve("leader-epoch-checkpoint"), input);
        Proportion.hold(input.length, BYTES_PER_BYTE, () -> {
            ProducerStates.fromBytes(input)
                    .ifPresent(states -> assertThat(ProducerStates.fromBytes(states.toBytes()))
                            .contains(states));
            epochs.read().ifPresent(history -> assertThat(history.entries()).isNotNull());
        });
    }
}
