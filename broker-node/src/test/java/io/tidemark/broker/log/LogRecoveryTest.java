package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogRecoveryTest {
    @TempDir
    Path root;

    private LogRig rig;
    /** Bytes of one batch of four records with one-digit offsets. */
    private final int batchBytes = Batches.batch(0, 0, 4, 0).remaining();

    @BeforeEach
    void create() throws IOException {
        rig = LogRig.created(root, LogSettings.DEFAULTS.withIndexSpacing(0, 0));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    /** Three segments, 0-7@0, 8-15@1 and 16-23@2, two batches each. */
    private void fillThreeSegments() throws IOException {
        for (int epoch = 0; epoch < 3; epoch++) {
            if (epoch > 0) {
                rig.log.roll();
            }
            rig.append(epoch, 4);
            rig.append(epoch, 4);
        }
    }

    private void appendRaw(long segment, ByteBuffer bytes) throws IOException {
        try (FileChannel file = FileChannel.open(rig.segment(segment), StandardOpenOption.APPEND)) {
            file.write(bytes);
        }
    }

    private void shorten(long segment, long by) throws IOException {
        try (FileChannel file = FileChannel.open(rig.segment(segment), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - by);
        }
    }

    @Test
    void afterAnOrderlyStopNothingIsScanned() throws IOException {
        for (int i = 0; i < 300; i++) {
            rig.append(0, Batches.idempotent(10L * i, 0, 10, 1, (short) 0, 10 * i));
            if (i % 100 == 99) {
                rig.log.roll();
            }
        }
        rig.append(0, 10);
        ProducerStates producers = rig.log.producers().copy();
        rig.log.close();
        rig.disk.bytesRead = 0;

        OpenedLog opened = rig.open(new LogRecovery.Known(true, false, 2000, 0, 5));

        assertThat(rig.disk.bytesRead)
                .as("a few headers to check the index with")
                .isLessThan(5 * BatchScanner.NEAR);
        assertThat(opened.cut()).isFalse();
        assertThat(opened.highWatermark()).isEqualTo(2000);
        assertThat(rig.log.logEndOffset()).isEqualTo(3010);
        assertThat(rig.log.recoveryPoint()).isEqualTo(3010);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0));
        assertThat(rig.log.producers()).isEqualTo(producers);
        assertThat(rig.contents()).hasSize(301);
        assertThat(rig.log.offsetOfMaxTimestamp(9999)).contains(new TimestampLookup.Found(3009, 3009, 0));
    }

    @Test
    void onTheSameBootOnlyTheTailBehindTheIndexIsRead() throws IOException {
        for (int i = 0; i < 2000; i++) {
            rig.append(0, 10);
        }
        rig.log.settings(rig.settings.withFlushBytes(1));
        rig.flush();
        rig.append(0, 10);
        rig.append(1, 10);
        int size = (int) rig.log.sizeInBytes();
        rig.kill();
        rig.disk.bytesRead = 0;

        OpenedLog opened = rig.open(LogRig.sameBoot());

        assertThat(rig.disk.bytesRead).isLessThan(size / 10);
        assertThat(opened.cut()).isFalse();
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 20010));
        assertThat(rig.contents()).hasSize(2002);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTornTailIsCut(boolean sameBoot) throws IOException {
        fillThreeSegments();
        ByteBuffer torn = Batches.batch(24, 2, 4, 0);
        torn.limit(torn.limit() - 5);
        appendRaw(16, torn);
        rig.kill();

        OpenedLog opened = rig.open(sameBoot ? LogRig.sameBoot() : LogRig.otherBoot(8));

        assertThat(opened.cut()).isTrue();
        assertThat(rig.log.logEndOffset()).isEqualTo(24);
        rig.append(3, 1);
        assertThat(rig.contents())
                .containsExactly("0-3@0", "4-7@0", "8-11@1", "12-15@1", "16-19@2", "20-23@2", "24-24@3");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 61, 70})
    void everyLengthOfTornBatchIsCut(int length) throws IOException {
        rig.append(0, 4);
        ByteBuffer torn = Batches.batch(4, 0, 4, 0);
        appendRaw(0, torn.limit(length));
        rig.kill();
        assertThat(rig.open(LogRig.sameBoot()).cut()).isTrue();
        assertThat(Files.size(rig.segment(0))).isEqualTo(batchBytes);
        assertThat(rig.log.logEndOffset()).isEqualTo(4);
    }

    @Test
    void onAnotherBootDamageBehindTheRecoveryPointEndsTheLogWhateverTheIndexSays() throws IOException {
        fillThreeSegments();
        rig.flush();
        rig.killAfterIndexFlush();
        LogRig.damage(rig.segment(8), batchBytes + 70);

        OpenedLog opened = rig.open(LogRig.otherBoot(10));

        assertThat(opened.cut()).isTrue();
        assertThat(rig.log.logEndOffset()).isEqualTo(12);
        assertThat(rig.segmentFiles()).hasSize(2);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 8));
        assertThat(rig.index.entries(LogRig.ID, 16)).isEmpty();
        rig.append(5, 4);
        assertThat(rig.contents()).containsExactly("0-3@0", "4-7@0", "8-11@1", "12-15@5");
    }

    @Test
    void onAnotherBootWhatIsBelowTheRecoveryPointIsNotRead() throws IOException {
        fillThreeSegments();
        rig.killAfterIndexFlush();
        LogRig.damage(rig.segment(0), 70);

        assertThat(rig.open(LogRig.otherBoot(16)).cut()).isFalse();
        assertThat(rig.log.logEndOffset()).isEqualTo(24);
    }

    @Test
    void onTheSameBootBytesThatTheIndexCoversAreTrusted() throws IOException {
        fillThreeSegments();
        rig.append(2, 4);
        rig.log.settings(rig.settings.withFlushBytes(1));
        rig.flush();
        rig.append(2, 4);
        rig.kill();
        LogRig.damage(rig.segment(16), 70);

        assertThat(rig.open(LogRig.sameBoot()).cut()).isFalse();
        assertThat(rig.log.logEndOffset()).isEqualTo(32);
    }

    @Test
    void anIndexThatIsAheadOfTheDataIsNotBelieved() throws IOException {
        fillThreeSegments();
        rig.killAfterIndexFlush();
        shorten(16, 2L * batchBytes);
        shorten(8, batchBytes + 3);

        OpenedLog opened = rig.open(new LogRecovery.Known(false, false, 20, 0, 4));

        assertThat(opened.cut()).isTrue();
        assertThat(opened.highWatermark())
                .as("what was not synced may be from before a truncation")
                .isEqualTo(4);
        assertThat(rig.log.logEndOffset()).isEqualTo(8);
        assertThat(rig.index.entries(LogRig.ID, 8)).isEmpty();
        assertThat(rig.index
                        .newestSnapshot(LogRig.ID, Long.MAX_VALUE)
                        .orElseThrow()
                        .offset())
                .isEqualTo(8);
        rig.append(7, 4);
        rig.log.close();
        rig.open(LogRig.clean());
        assertThat(rig.contents()).containsExactly("0-3@0", "4-7@0", "8-11@7");
    }

    @Test
    void aRecoveryPointThatSaysTooMuchIsLowered() throws IOException {
        fillThreeSegments();
        rig.killAfterIndexFlush();
        shorten(16, batchBytes);

        OpenedLog opened = rig.open(LogRig.otherBoot(24));

        assertThat(opened.cut())
                .as("nothing was removed, the end was not there")
                .isFalse();
        assertThat(rig.log.logEndOffset()).isEqualTo(20);
        assertThat(rig.log.recoveryPoint()).isEqualTo(20);
        assertThat(rig.lowered).endsWith(20L);
    }

    @Test
    void aGapBetweenSegmentsEndsTheLog() throws IOException {
        fillThreeSegments();
        rig.killAfterIndexFlush();
        shorten(8, batchBytes);

        OpenedLog opened = rig.open(LogRig.otherBoot(0));

        assertThat(opened.cut()).isTrue();
        assertThat(rig.contents()).containsExactly("0-3@0", "4-7@0", "8-11@1");
        assertThat(rig.segmentFiles()).hasSize(2);
    }

    @Test
    void aBatchWhoseEpochDecreasesEndsTheLog() throws IOException {
        rig.append(4, 4);
        appendRaw(0, Batches.batch(4, 3, 4, 0));
        appendRaw(0, Batches.batch(8, 4, 4, 0));
        rig.kill();

        assertThat(rig.open(LogRig.sameBoot()).cut()).isTrue();
        assertThat(rig.contents()).containsExactly("0-3@4");
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(4, 0));
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 5})
    void aBatchAtTheWrongOffsetEndsTheLog(long base) throws IOException {
        rig.append(0, 4);
        appendRaw(0, Batches.batch(base, 0, 4, 0));
        rig.kill();
        assertThat(rig.open(LogRig.sameBoot()).cut()).isTrue();
        assertThat(rig.contents()).containsExactly("0-3@0");
    }

    /** S20 (a) and (b): a lost or damaged file has no effect but time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "missing",
                "",
                "garbage",
                "1\n1\n0 0\n",
                "0\n2\n0 0\n",
                "0\n1\n0 zero\n",
                "0\n2\n3 5\n2 6\n",
                "0\n1\n0 0\n",
                "0\n1\n3 100\n",
                "0\n2\n1 0\n3 100\n",
                "0\n2\n0 0\n4 100\n",
            })
    void aLostEpochHistoryIsRebuilt(String content) throws IOException {
        for (int i = 0; i < 10; i++) {
            rig.append(0, 10);
        }
        rig.log.roll();
        rig.append(3, 10);
        rig.log.close();
        Path file = rig.directory.resolve("leader-epoch-checkpoint");
        Files.delete(file);
        if (!content.equals("missing")) {
            Files.writeString(file, content);
        }

        OpenedLog opened = rig.open(new LogRecovery.Known(true, true, 95, 0, 110));

        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 3, 100));
        assertThat(opened.highWatermark()).isEqualTo(95);
        assertThat(rig.log.logEndOffset()).isEqualTo(110);
        assertThat(Files.readString(file)).isEqualTo("0\n2\n0 0\n3 100\n");
    }

    @Test
    void anEpochThatNeverWroteIsDroppedAtLoad() throws IOException {
        // S20 (c).
        rig.append(0, 4);
        rig.log.persistEpochs(rig.log.epochs().assign(9, 4));
        rig.kill();
        rig.open(LogRig.sameBoot());
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"clean", "sameBoot", "otherBoot"})
    void aDeletedIndexIsRebuiltFromTheSegments(String how) throws IOException {
        fillThreeSegments();
        rig.append(2, Batches.idempotent(24, 2, 4, 5, (short) 1, 0));
        rig.log.roll();
        rig.append(2, 4);
        ProducerStates producers = rig.log.producers().copy();
        List<String> contents = rig.contents();
        EpochHistory epochs = rig.log.epochs();
        rig.log.close();
        rig.loseIndex();

        OpenedLog opened = rig.open(
                switch (how) {
                    case "clean" -> LogRig.clean();
                    case "sameBoot" -> LogRig.sameBoot();
                    default -> LogRig.otherBoot(14);
                });

        assertThat(opened.cut()).isFalse();
        assertThat(rig.log.epochs()).isEqualTo(epochs);
        assertThat(rig.log.producers()).isEqualTo(producers);
        assertThat(rig.contents()).isEqualTo(contents);
        assertThat(rig.index.entries(LogRig.ID, 0)).hasSize(2);
        assertThat(rig.index.summary(LogRig.ID, 8))
                .contains(new SegmentSummary(2 * Math.toIntExact(Files.size(rig.segment(8)) / 2), 16, 15, 1));
        assertThat(rig.log.offsetForTimestamp(10, 99)).contains(new TimestampLookup.Found(10, 10, 1));
    }

    @Test
    void whatTheIndexLostOfSegmentsRolledSinceIsMadeAgain() throws IOException {
        rig.append(0, 4);
        rig.log.settings(rig.settings.withFlushBytes(1));
        rig.flush();
        rig.log.settings(rig.settings);
        rig.append(0, 4);
        rig.log.roll();
        rig.append(1, 4);
        rig.log.roll();
        rig.kill();
        assertThat(rig.index.entries(LogRig.ID, 0)).hasSize(1);

        rig.open(LogRig.sameBoot());

        assertThat(rig.index.entries(LogRig.ID, 0)).hasSize(2);
        assertThat(rig.index.entries(LogRig.ID, 8)).hasSize(1);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 8));
        assertThat(rig.log.logEndOffset()).isEqualTo(12);
        assertThat(rig.contents()).containsExactly("0-3@0", "4-7@0", "8-11@1");
    }

    @Test
    void anIndexOlderThanATruncationIsHarmless() throws IOException {
        // The index on disk must never describe bytes that were cut and written anew.
        fillThreeSegments();
        rig.log.settings(rig.settings.withFlushBytes(1));
        rig.flush();
        rig.log.truncateTo(4);
        List<ByteBuffer> batches = new ArrayList<>();
        batches.add(Batches.batch(4, 6, 1, 0));
        batches.add(Batches.batch(5, 6, 9, 0));
        for (ByteBuffer batch : batches) {
            rig.append(6, batch);
        }
        rig.log.roll();
        rig.append(6, 2);
        rig.kill();

        assertThat(rig.open(LogRig.sameBoot()).cut()).isFalse();
        assertThat(rig.contents()).containsExactly("0-3@0", "4-4@6", "5-13@6", "14-15@6");
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 6, 4));
    }

    @Test
    void theLogStartOfTheCheckpointHolds() throws IOException {
        fillThreeSegments();
        rig.log.close();

        OpenedLog opened = rig.open(new LogRecovery.Known(true, true, 3, 10, 0));
        assertThat(rig.log.logStartOffset()).isEqualTo(10);
        assertThat(opened.highWatermark()).as("R3.10: not below the log start").isEqualTo(10);
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.of(1, 10, 2, 16));
        rig.log.close();

        rig.open(new LogRecovery.Known(true, true, 3, 24, 0));
        assertThat(rig.log.logStartOffset()).isEqualTo(24);
        rig.append(4, 4);
        assertThat(rig.contents()).containsExactly("24-27@4");
    }

    @Test
    void aLogThatLostMoreThanWasDeletedStartsAnewThere() throws IOException {
        fillThreeSegments();
        rig.killAfterIndexFlush();
        shorten(16, 2L * batchBytes);

        rig.open(new LogRecovery.Known(false, false, 22, 22, 0));
        assertThat(rig.log.logStartOffset()).isEqualTo(22);
        assertThat(rig.log.logEndOffset()).isEqualTo(22);
        assertThat(rig.segmentFiles()).containsExactly("00000000000000000022.log");
    }

    @Test
    void producersAreRebuiltFromTheNewestSnapshotAndTheBatchesBehindIt() throws IOException {
        rig.append(0, Batches.idempotent(0, 0, 4, 1, (short) 0, 0));
        rig.log.roll();
        rig.append(0, Batches.idempotent(4, 0, 4, 2, (short) 0, 0));
        rig.log.settings(rig.settings.withFlushBytes(1));
        rig.flush();
        rig.append(0, Batches.idempotent(8, 0, 4, 1, (short) 0, 4));
        ProducerStates producers = rig.log.producers().copy();
        rig.kill();
        assertThat(rig.index.newestSnapshot(LogRig.ID, 99).orElseThrow().offset())
                .isEqualTo(8);

        rig.open(LogRig.sameBoot());
        assertThat(rig.log.producers()).isEqualTo(producers);
    }

    @Test
    void anEmptyDirectoryIsAnEmptyLog() throws IOException {
        rig.kill();
        Files.delete(rig.segment(0));
        OpenedLog opened = rig.open(new LogRecovery.Known(false, true, 8, 0, 8));
        assertThat(rig.log.logEndOffset()).isZero();
        assertThat(opened.highWatermark()).isZero();
        assertThat(rig.log.epochs()).isEqualTo(EpochHistory.EMPTY);
    }
}
