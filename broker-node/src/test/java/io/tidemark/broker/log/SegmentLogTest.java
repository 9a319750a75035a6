package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.Check;
import io.tidemark.model.EpochHistory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.FileRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentLogTest {
    private static final LogSettings FINE = LogSettings.DEFAULTS.withIndexSpacing(200, 400);

    @TempDir
    Path root;

    private LogRig rig;

    @BeforeEach
    void create() throws IOException {
        rig = LogRig.created(root, FINE);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void stagedBatchesCountOnlyOnceWritten() throws IOException {
        rig.log.persistEpochs(EpochHistory.of(2, 0));
        rig.log.stage(Batches.batch(0, 2, 3, 100), 2);

        assertThat(rig.log.stagedEndOffset()).isEqualTo(3);
        assertThat(rig.log.logEndOffset()).isZero();
        assertThat(rig.log.read(0, 10, 1000, true)).isInstanceOf(ReadResult.Empty.class);

        assertThat(rig.log.write()).isEqualTo(3);
        assertThat(rig.contents()).containsExactly("0-2@2");
    }

    @Test
    void whatWasStagedInOneTurnIsOneGatheringWrite() throws IOException {
        rig.log.persistEpochs(EpochHistory.of(0, 0));
        ByteBuffer direct = ByteBuffer.allocateDirect(1000);
        direct.put(Batches.batch(0, 0, 2, 0)).flip();
        rig.log.stage(direct, 0);
        rig.log.stage(Batches.together(Batches.batch(2, 0, 1, 0), Batches.batch(3, 0, 4, 0)), 0);
        rig.log.stage(Batches.batch(7, 0, 1, 0), 0);
        rig.log.write();

        assertThat(rig.disk.writes).isEqualTo(1);
        assertThat(rig.contents()).containsExactly("0-1@0", "2-2@0", "3-6@0", "7-7@0");
        assertThat(direct.position()).as("the caller's buffer is not moved").isZero();
    }

    @Test
    void kafkasOwnCodeReadsASegment() throws IOException {
        rig.append(0, 3);
        rig.append(4, Batches.compressed(3, 4, 5, 77));

        List<String> batches = new ArrayList<>();
        try (FileRecords records = FileRecords.open(rig.segment(0).toFile(), false)) {
            records.batches().forEach(batch -> {
                batch.ensureValid();
                batches.add(batch.baseOffset() + "-" + batch.lastOffset() + "@" + batch.partitionLeaderEpoch());
            });
        }
        assertThat(batches).containsExactly("0-2@0", "3-7@4");
    }

    @Test
    void batchesThatDoNotContinueTheLogAreRefused() throws IOException {
        rig.append(1, 3);

        assertThatThrownBy(() -> rig.log.stage(Batches.batch(4, 1, 1, 0), 1)).isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> rig.log.stage(Batches.batch(2, 1, 1, 0), 1)).isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> rig.log.stage(Batches.batch(3, 0, 1, 0), 0)).isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> rig.log.stage(Batches.batch(3, 0, 1, 0), 1)).isInstanceOf(Check.Violation.class);
        ByteBuffer partial = Batches.batch(3, 1, 1, 0);
        partial.limit(partial.limit() - 1);
        assertThatThrownBy(() -> rig.log.stage(partial, 1)).isInstanceOf(Check.Violation.class);
        rig.log.write();
        assertThat(rig.contents()).containsExactly("0-2@1");
    }

    @Test
    void afterAFailedWriteTheLogTakesNothingMore() throws IOException {
        rig.append(0, 1);
        rig.disk.failWrites = true;
        rig.log.stage(Batches.batch(1, 0, 1, 0), 0);
        assertThatThrownBy(() -> rig.log.write()).isInstanceOf(IOException.class);
        rig.disk.failWrites = false;

        assertThatThrownBy(() -> rig.log.write()).isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> rig.log.stage(Batches.batch(1, 0, 1, 0), 0)).isInstanceOf(Check.Violation.class);
    }

    @Test
    void aReadStartsWithTheBatchOfItsOffsetAndSplitsNone() throws IOException {
        int size = Batches.batch(0, 0, 10, 0).remaining();
        for (int i = 0; i < 40; i++) {
            rig.append(0, Batches.batch(10L * i, 0, 10, 0));
        }
        for (int first = 0; first < 40; first++) {
            for (int limit : new int[] {0, 1, size - 1, size, size + 1, 3 * size, 3 * size + 1, 100 * size}) {
                ReadResult.Slice slice = rig.readSlice(10L * first + 7, Long.MAX_VALUE, limit, true);

                List<String> batches = Batches.describe(LogRig.bytes(slice));
                assertThat(slice.firstBatchBase()).isEqualTo(10L * first);
                assertThat(slice.nextOffset()).isEqualTo(10L * (first + batches.size()));
                assertThat(batches.size() == 1 || slice.slice().length() <= limit)
                        .isTrue();
                boolean fillsTheLimit =
                        slice.nextOffset() == 400 || slice.slice().length() + size > limit;
                assertThat(fillsTheLimit).isTrue();
                slice.slice().release();
            }
        }
    }

    @Test
    void aReadEndsBelowItsLimitAtABatchBoundary() throws IOException {
        for (int i = 0; i < 20; i++) {
            rig.append(0, 5);
        }
        for (long limit = 41; limit < 110; limit++) {
            ReadResult result = rig.read(40, limit, 1 << 20, true);
            if (limit < 45) {
                assertThat(result).isInstanceOf(ReadResult.Empty.class);
            } else {
                ReadResult.Slice slice = (ReadResult.Slice) result;
                assertThat(slice.nextOffset()).isEqualTo(Math.min(100, limit / 5 * 5));
                assertThat(Batches.describe(LogRig.bytes(slice))).hasSize((int) (slice.nextOffset() - 40) / 5);
                slice.slice().release();
            }
        }
    }

    @Test
    void readsThatReturnNothing() throws IOException {
        rig.append(0, 5);
        rig.append(0, 5);

        assertThat(rig.log.read(10, 99, 100, true)).isInstanceOf(ReadResult.Empty.class);
        assertThat(rig.log.read(5, 5, 100, true)).isInstanceOf(ReadResult.Empty.class);
        assertThat(rig.log.read(7, 5, 100, true)).isInstanceOf(ReadResult.Empty.class);
        assertThat(rig.log.read(0, 10, 10, false)).isInstanceOf(ReadResult.Empty.class);
        assertThat(rig.log.read(11, 99, 100, true)).isEqualTo(new ReadResult.OutOfRange(0, 10));
        rig.log.raiseLogStart(6);
        assertThat(rig.log.read(5, 99, 100, true)).isEqualTo(new ReadResult.OutOfRange(6, 10));
        assertThat(rig.readSlice(6, 99, 100, true).firstBatchBase()).isEqualTo(5);
    }

    @Test
    void aRollStartsASegmentAndReadsGoOnAcrossIt() throws IOException {
        rig.log.settings(FINE.withSegment(200, Long.MAX_VALUE));
        assertThat(rig.log.needsRoll(1_000_000))
                .as("an empty segment is not rolled")
                .isFalse();
        for (int i = 0; i < 6; i++) {
            ByteBuffer batch = Batches.batch(2L * i, 0, 2, 0);
            if (rig.log.needsRoll(batch.remaining())) {
                rig.log.roll();
            }
            rig.append(0, batch);
        }
        assertThat(rig.segmentFiles())
                .containsExactly("00000000000000000000.log", "00000000000000000004.log", "00000000000000000008.log");
        assertThat(rig.contents()).containsExactly("0-1@0", "2-3@0", "4-5@0", "6-7@0", "8-9@0", "10-11@0");
        rig.log.roll();
        rig.log.roll();
        assertThat(rig.segmentFiles()).hasSize(4);
    }

    @Test
    void aSegmentIsRolledWhenItsRecordsSpanTooLong() throws IOException {
        rig.log.settings(FINE.withSegment(1 << 20, 1000));
        rig.append(0, Batches.batch(0, 0, 1, 5000));
        rig.append(0, Batches.batch(1, 0, 1, 6000));
        assertThat(rig.log.needsRoll(1)).isFalse();
        rig.append(0, Batches.batch(2, 0, 1, 6001));
        assertThat(rig.log.needsRoll(1)).isTrue();
    }

    @Test
    void readsFarBehindTheEndAreWarmedFirst() throws IOException {
        rig.log.settings(FINE.withHotBytes(300));
        for (int i = 0; i < 30; i++) {
            rig.append(0, 2);
            if (i % 10 == 9) {
                rig.log.roll();
            }
        }
        assertThat(rig.log.read(2, 60, 500, true)).isInstanceOf(ReadResult.Cold.class);
        ReadResult.Slice slice = rig.readSlice(2, 60, 500, true);
        assertThat(slice.firstBatchBase()).isEqualTo(2);
        slice.slice().release();
        assertThat(rig.log.read(2, 60, 500, true)).as("a finding serves once").isInstanceOf(ReadResult.Cold.class);
        assertThat(rig.log.read(58, 60, 500, true)).isInstanceOf(ReadResult.Slice.class);
        assertThat(rig.contents()).hasSize(30);
    }

    @Test
    void aColdReadKeepsToALimitThatFellMeanwhile() throws IOException {
        rig.log.settings(FINE.withHotBytes(0));
        for (int i = 0; i < 10; i++) {
            rig.append(0, 2);
        }
        ((ReadResult.Cold) rig.log.read(0, 20, 1 << 20, true)).warm().run();
        assertThat(rig.log.read(0, 10, 1 << 20, true)).isInstanceOf(ReadResult.Cold.class);
        assertThat(rig.readSlice(0, 10, 1 << 20, true).nextOffset()).isEqualTo(10);
    }

    @Test
    void whatAColdReadFoundIsVoidAfterATruncation() throws IOException {
        rig.log.settings(FINE.withHotBytes(0));
        rig.append(0, 4);
        rig.append(0, 4);
        ((ReadResult.Cold) rig.log.read(0, 8, 1 << 20, true)).warm().run();
        rig.log.truncateTo(4);
        rig.append(1, Batches.batch(4, 1, 2, 0));
        assertThat(rig.log.read(0, 8, 1 << 20, true)).isInstanceOf(ReadResult.Cold.class);
        assertThat(rig.contents()).containsExactly("0-3@0", "4-5@1");
    }

    @Test
    void aSliceOutlivesItsSegment() throws IOException {
        rig.append(0, 4);
        rig.log.roll();
        rig.append(0, 4);
        ReadResult.Slice slice = rig.readSlice(0, 8, 1 << 20, true);
        slice.slice().retain();
        rig.log.raiseLogStart(4);
        assertThat(rig.log.deleteOldSegments(0, 8)).isEqualTo(1);
        assertThat(rig.segmentFiles()).containsExactly("00000000000000000004.log");

        assertThat(slice.slice().release()).isFalse();
        assertThat(Batches.describe(LogRig.bytes(slice))).containsExactly("0-3@0");
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        assertThat(slice.slice().transferTo(3, Channels.newChannel(sent)))
                .isEqualTo(slice.slice().length() - 3);
        assertThat(slice.slice().release()).isTrue();
        assertThat(slice.slice().channel().orElseThrow().isOpen()).isFalse();
        assertThatThrownBy(() -> slice.slice().release()).isInstanceOf(Check.Violation.class);
    }

    @Test
    void aColdReadThatComesTooLateDoesNotBringADeletedSegmentBack() throws IOException {
        rig.append(0, 4);
        rig.log.roll();
        rig.append(0, 4);
        rig.log.close();
        rig.open(LogRig.clean());
        ReadResult.Cold cold = (ReadResult.Cold) rig.log.read(0, 8, 1 << 20, true);
        rig.log.raiseLogStart(4);
        rig.log.deleteOldSegments(0, 8);
        cold.warm().run();
        assertThat(rig.segmentFiles()).containsExactly("00000000000000000004.log");
        assertThat(rig.log.read(0, 8, 1 << 20, true)).isInstanceOf(ReadResult.OutOfRange.class);
    }

    @Test
    void recordsWithoutTimestampAreNotOld() throws IOException {
        rig.log.settings(FINE.withRetention(1000, -1));
        rig.append(0, Batches.batch(0, 0, 1, -1));
        rig.log.roll();
        assertThat(rig.log.deleteOldSegments(1_000_000, 1)).isZero();
    }

    @Test
    void aFlushMovesTheRecoveryPointToWhatWasWrittenWhenItWasTaken() throws IOException {
        rig.log.settings(FINE.withFlushBytes(180));
        rig.append(0, 3);
        assertThat(rig.log.needsFlush()).isFalse();
        rig.append(0, 3);
        assertThat(rig.log.needsFlush()).isTrue();
        FlushTask task = rig.log.flushTask();
        rig.append(0, 3);
        rig.log.roll();
        rig.append(0, 3);
        assertThat(rig.log.needsFlush()).as("one at a time").isFalse();
        task.run();
        assertThat(rig.log.recoveryPoint()).isZero();
        rig.log.completed(task);
        assertThat(rig.log.recoveryPoint()).isEqualTo(6);
        rig.flush();
        assertThat(rig.log.recoveryPoint()).isEqualTo(12);
    }

    @Test
    void aFailedFlushMovesNothing() throws IOException {
        rig.append(0, 3);
        FlushTask task = rig.log.flushTask();
        rig.disk.failSyncs = true;
        assertThatThrownBy(task::run).isInstanceOf(IOException.class);
        rig.log.completed(task);
        assertThat(rig.log.recoveryPoint()).isZero();
    }

    @Test
    void truncationInsideABatchGoesToItsStart() throws IOException {
        // S36: the fork lies inside a compressed batch.
        rig.append(0, Batches.compressed(0, 0, 10, 0));
        rig.append(2, Batches.compressed(10, 2, 10, 0));
        rig.append(5, Batches.compressed(20, 5, 10, 0));
        rig.flush();

        assertThat(rig.log.truncateTo(15)).isEqualTo(10);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0));
        assertThat(rig.log.recoveryPoint()).isEqualTo(10);
        assertThat(rig.lowered).as("the checkpoint falls with it").endsWith(10L);
        rig.append(7, 5);
        assertThat(rig.contents()).containsExactly("0-9@0", "10-14@7");
    }

    @Test
    void truncationDropsLaterSegmentsAndTheirIndex() throws IOException {
        for (int i = 0; i < 5; i++) {
            rig.append(i, 4);
            rig.append(i, 4);
            rig.log.roll();
        }
        assertThat(rig.log.truncateTo(20)).isEqualTo(20);
        assertThat(rig.segmentFiles()).hasSize(3);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 8, 2, 16));
        assertThat(rig.index.entries(LogRig.ID, 32)).isEmpty();
        assertThat(rig.index.summary(LogRig.ID, 16)).isEmpty();
        assertThat(rig.index.summary(LogRig.ID, 8)).isPresent();
        rig.append(9, 4);
        assertThat(rig.contents()).containsExactly("0-3@0", "4-7@0", "8-11@1", "12-15@1", "16-19@2", "20-23@9");
    }

    @Test
    void aTruncationThatCutsNothingStillDropsAnEpochThatNeverWrote() throws IOException {
        rig.append(0, 4);
        rig.log.persistEpochs(rig.log.epochs().assign(6, 4));
        assertThat(rig.log.truncateTo(4)).isEqualTo(4);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0));
        assertThat(Files.readString(rig.directory.resolve("leader-epoch-checkpoint")))
                .isEqualTo("0\n1\n0 0\n");
    }

    @Test
    void truncationRollsProducersBack() throws IOException {
        rig.append(0, Batches.idempotent(0, 0, 5, 42, (short) 0, 0));
        rig.log.roll();
        ProducerStates before = rig.log.producers().copy();
        rig.append(0, Batches.idempotent(5, 0, 5, 42, (short) 0, 5));
        rig.append(0, Batches.idempotent(10, 0, 5, 43, (short) 0, 0));
        assertThat(rig.log.producers()).isNotEqualTo(before);

        rig.log.truncateTo(10);
        assertThat(rig.log.producers().check(42, (short) 0, 5, 9)).isInstanceOf(ProducerVerdict.Duplicate.class);
        assertThat(rig.log.producers().check(43, (short) 0, 0, 4)).isEqualTo(new ProducerVerdict.Accept(false));
        rig.log.truncateTo(7);
        assertThat(rig.log.producers()).isEqualTo(before);
    }

    @Test
    void fullTruncationStartsAnEmptyLogAnywhere() throws IOException {
        rig.append(0, 4);
        rig.append(3, 4);
        rig.log.truncateFullyAndStartAt(100);
        assertThat(rig.log.logStartOffset()).isEqualTo(100);
        assertThat(rig.log.logEndOffset()).isEqualTo(100);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.EMPTY);
        rig.append(5, 3);
        assertThat(rig.contents()).containsExactly("100-102@5");

        rig.log.truncateTo(50);
        assertThat(rig.log.logStartOffset()).isEqualTo(50);
        assertThat(rig.segmentFiles()).containsExactly("00000000000000000050.log");
    }

    @Test
    void retentionBySizeStopsAtTheHighWatermark() throws IOException {
        for (int i = 0; i < 6; i++) {
            rig.append(i, 4);
            rig.log.roll();
        }
        int size = (int) rig.log.sizeInBytes() / 6;
        rig.log.settings(FINE.withRetention(-1, 2L * size));

        assertThat(rig.log.deleteOldSegments(0, 0))
                .as("nothing is known to be committed")
                .isZero();
        assertThat(rig.log.deleteOldSegments(0, 7)).isEqualTo(1);
        assertThat(rig.log.logStartOffset()).isEqualTo(4);
        assertThat(rig.log.deleteOldSegments(0, 24)).isEqualTo(3);
        assertThat(rig.log.logStartOffset()).isEqualTo(16);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(4, 16, 5, 20));
        assertThat(rig.index.entries(LogRig.ID, 0)).isEmpty();
        assertThat(rig.contents()).containsExactly("16-19@4", "20-23@5");
    }

    @Test
    void retentionByTimeAlsoTakesAnActiveSegmentWhoseRecordsAreAllOld() throws IOException {
        rig.log.settings(FINE.withRetention(1000, -1));
        rig.append(0, Batches.batch(0, 0, 2, 100));
        rig.log.roll();
        rig.append(0, Batches.batch(2, 0, 2, 5000));

        assertThat(rig.log.deleteOldSegments(1101, 4))
                .as("101 is just young enough")
                .isZero();
        assertThat(rig.log.deleteOldSegments(1102, 4)).isEqualTo(1);
        assertThat(rig.log.deleteOldSegments(9000, 3))
                .as("above the high watermark")
                .isZero();
        assertThat(rig.log.deleteOldSegments(9000, 4)).isEqualTo(1);
        assertThat(rig.log.logStartOffset()).isEqualTo(4);
        assertThat(rig.segmentFiles()).containsExactly("00000000000000000004.log");
        rig.append(1, 2);
        assertThat(rig.contents()).containsExactly("4-5@1");
    }

    @Test
    void recordsAreFoundByTimestamp() throws IOException {
        long[] timestamps = {100, 300, 200, 900, 400, 950};
        for (int i = 0; i < timestamps.length; i++) {
            rig.append(i, Batches.compressed(10L * i, i, 10, timestamps[i]));
            if (i % 2 == 1) {
                rig.log.roll();
            }
        }
        assertThat(rig.log.offsetForTimestamp(0, 60)).contains(new TimestampLookup.Found(0, 100, 0));
        assertThat(rig.log.offsetForTimestamp(105, 60)).contains(new TimestampLookup.Found(5, 105, 0));
        assertThat(rig.log.offsetForTimestamp(205, 60)).contains(new TimestampLookup.Found(10, 300, 1));
        assertThat(rig.log.offsetForTimestamp(310, 60)).contains(new TimestampLookup.Found(30, 900, 3));
        assertThat(rig.log.offsetForTimestamp(310, 30)).isEmpty();
        assertThat(rig.log.offsetForTimestamp(960, 60)).isEmpty();
        assertThat(rig.log.offsetOfMaxTimestamp(60)).contains(new TimestampLookup.Found(59, 959, 5));
        assertThat(rig.log.offsetOfMaxTimestamp(59)).isEmpty();
        rig.log.raiseLogStart(7);
        assertThat(rig.log.offsetForTimestamp(0, 60)).contains(new TimestampLookup.Found(7, 107, 0));
    }
}
