package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataDirectoryTest {
    private static final LogSettings SETTINGS = LogSettings.DEFAULTS;
    private static final LogName NAME = new LogName("a-topic.of_2", 1);
    private static final PartitionId ID = new PartitionId(new TopicId(1, 2), 1);

    @TempDir
    Path root;

    private final Disk disk = new RealDisk();
    private DataDirectory directory;
    private int run;

    private void open(String boot) throws IOException {
        run++;
        directory = DataDirectory.open(disk, root, RocksDbIndex.open(disk, root.resolve("index")), boot, "run " + run);
    }

    private OpenedLog load(String boot) throws IOException {
        open(boot);
        directory.startLoading();
        OpenedLog opened = directory.openLog(directory.logs().get(0), SETTINGS);
        directory.allLogsOpened();
        return opened;
    }

    private SegmentLog create(String boot) throws IOException {
        open(boot);
        directory.startLoading();
        SegmentLog log = directory.createLog(NAME, ID, SETTINGS).log();
        directory.allLogsOpened();
        return log;
    }

    private static void append(SegmentLog log, int batches) throws IOException {
        log.persistEpochs(log.epochs().assign(0, log.logEndOffset()));
        for (int i = 0; i < batches; i++) {
            log.stage(Batches.batch(log.stagedEndOffset(), 0, 10, 0), 0);
        }
        log.write();
    }

    private String file(String name) throws IOException {
        return Files.readString(root.resolve(name));
    }

    @AfterEach
    void close() {
        if (directory != null) {
            directory.close();
        }
    }

    @Test
    void anOrderlyStopIsKnownAtTheNextStart() throws IOException {
        SegmentLog log = create("boot 1");
        assertThat(directory.cleanBrokerEpoch()).isEmpty();
        append(log, 3);
        log.raiseLogStart(5);
        log.close();
        directory.checkpointHighWatermarks(Map.of(ID, 20L));
        directory.closeCleanly(77);

        assertThat(file("replication-offset-checkpoint")).isEqualTo("0\n1\na-topic.of_2 1 20\n");
        assertThat(file("recovery-point-offset-checkpoint")).isEqualTo("0\n1\na-topic.of_2 1 30\n");
        assertThat(file("log-start-offset-checkpoint")).isEqualTo("0\n1\na-topic.of_2 1 5\n");
        assertThat(file(".kafka_cleanshutdown")).isEqualTo("{\"version\":0,\"brokerEpoch\":77}");
        assertThat(file("a-topic.of_2-1/partition.metadata")).isEqualTo("version: 0\ntopic_id: " + ID.topicId());

        open("boot 2");
        assertThat(directory.cleanBrokerEpoch()).hasValue(77);
        assertThat(directory.sameBoot()).isFalse();
        assertThat(directory.logs())
                .containsExactly(new DataDirectory.FoundLog(NAME, ID, root.resolve("a-topic.of_2-1")));
        directory.startLoading();
        assertThat(root.resolve(".kafka_cleanshutdown")).doesNotExist();
        OpenedLog opened = directory.openLog(directory.logs().get(0), SETTINGS);
        assertThat(opened.highWatermark()).isEqualTo(20);
        assertThat(opened.log().logStartOffset()).isEqualTo(5);
        assertThat(opened.log().logEndOffset()).isEqualTo(30);
        assertThat(opened.log().recoveryPoint()).isEqualTo(30);
        opened.log().abandon();
        directory.close();

        open("boot 2");
        assertThat(directory.cleanBrokerEpoch()).as("loading has begun since").isEmpty();
    }

    @Test
    void theBootIsTheSameOnlyOnceAllLogsOfThatBootWereOpened() throws IOException {
        create("boot 1").abandon();
        directory.close();
        open("boot 1");
        assertThat(directory.sameBoot()).isTrue();
        directory.close();

        open("boot 2");
        directory.startLoading();
        directory.openLog(directory.logs().get(0), SETTINGS).log().abandon();
        directory.close();
        open("boot 2");
        assertThat(directory.sameBoot()).as("that start did not finish").isFalse();
        directory.close();

        load("boot 2").log().abandon();
        directory.close();
        open("boot 2");
        assertThat(directory.sameBoot()).isTrue();
    }

    @Test
    void aBootOnWhichAWriteWasLostIsNotTheSame() throws IOException {
        create("boot 1").abandon();
        directory.distrustThisBoot();
        directory.close();
        open("boot 1");
        assertThat(directory.sameBoot()).isFalse();
        directory.close();

        load("boot 1").log().abandon();
        directory.close();
        open("boot 1");
        assertThat(directory.sameBoot()).as("it was recovered since").isTrue();
    }

    @Test
    void theEvidenceNamesTheRunSinceWhichNothingWasLost() throws IOException {
        create("boot 1").abandon();
        assertThat(directory.evidence(false)).isEqualTo("boot 1 since run 1");
        directory.close();
        load("boot 1").log().abandon();
        assertThat(directory.evidence(false)).isEqualTo("boot 1 since run 1");
        directory.distrustThisBoot();
        directory.close();
        load("boot 1").log().abandon();
        assertThat(directory.nothingLost(false)).isFalse();
        assertThat(directory.evidence(false)).isEqualTo("boot 1 since run 3");
        directory.close();
        load("boot 1").log().abandon();
        assertThat(directory.nothingLost(false))
                .as("nothing since the run before")
                .isTrue();
        assertThat(directory.evidence(false))
                .as("but not what a controller was told of run 2")
                .isEqualTo("boot 1 since run 3");
    }

    @Test
    void aStartThatTookBytesAwayAndEndedIsNotForgotten() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        log.abandon();
        directory.close();
        Path segment = root.resolve(NAME.toString()).resolve("00000000000000000000.log");
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }
        open("boot 1");
        directory.startLoading();
        assertThat(directory.openLog(directory.logs().get(0), SETTINGS).cut()).isTrue();
        directory.close();
        load("boot 1").log().abandon();
        assertThat(directory.nothingLost(false)).isFalse();
    }

    @Test
    void onTheSameBootOnlyWhatLiesAboveTheMarkIsReadWholly() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        log.abandon();
        directory.checkpointHighWatermarks(Map.of(ID, 10L));
        directory.close();
        Path segment = root.resolve(NAME.toString()).resolve("00000000000000000000.log");
        int batch = (int) (Files.size(segment) / 3);
        flip(segment, batch - 1);
        assertThat(load("boot 1").log().logEndOffset()).isEqualTo(30);
        directory.close();
        flip(segment, 3 * batch - 1);
        assertThat(load("boot 1").log().logEndOffset()).isEqualTo(20);
        directory.close();
        assertThat(load("boot 2").log().logEndOffset()).isZero();
    }

    private static void flip(Path file, int position) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[position] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void underFsyncATornEndIsNoLossButASyncedRecordIs() throws IOException {
        LogSettings synced = SETTINGS.withSynced(true);
        open("boot 1");
        directory.startLoading();
        SegmentLog log = directory.createLog(NAME, ID, synced).log();
        directory.allLogsOpened(true);
        append(log, 2);
        FlushTask task = log.flushTask();
        task.run();
        log.completed(task);
        append(log, 1);
        log.abandon();
        directory.checkpointRecoveryPoints();
        String evidence = directory.evidence(true);
        directory.close();
        Path segment = root.resolve(NAME.toString()).resolve("00000000000000000000.log");
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }
        open("boot 2");
        directory.startLoading();
        assertThat(directory.openLog(directory.logs().get(0), synced).cut()).isTrue();
        directory.allLogsOpened(true);
        assertThat(directory.nothingLost(true)).isTrue();
        assertThat(directory.evidence(true)).isEqualTo(evidence);
        directory.close();
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }
        open("boot 3");
        directory.startLoading();
        directory.openLog(directory.logs().get(0), synced);
        directory.allLogsOpened(true);
        assertThat(directory.nothingLost(true)).isFalse();
        assertThat(directory.evidence(true)).isNotEqualTo(evidence);
    }

    @Test
    void anUnknownBootIsNeverTheSame() throws IOException {
        create("").abandon();
        directory.close();
        open("");
        assertThat(directory.sameBoot()).isFalse();
    }

    @Test
    void aTruncationLowersTheRecoveryPointOnDiskBeforeItReturns() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        FlushTask task = log.flushTask();
        task.run();
        log.completed(task);
        directory.checkpointRecoveryPoints();
        assertThat(file("recovery-point-offset-checkpoint")).endsWith(" 30\n");
        log.truncateTo(10);
        assertThat(file("recovery-point-offset-checkpoint")).endsWith(" 10\n");
        log.abandon();
    }

    @Test
    void noCheckpointOutlivesTheBytesItSpeaksOf() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        log.raiseLogStart(25);
        directory.checkpointHighWatermarks(Map.of(ID, 28L));
        directory.checkpointLogStarts();
        log.truncateFullyAndStartAt(7);
        append(log, 1);
        log.abandon();
        directory.close();

        OpenedLog opened = load("boot 1");
        assertThat(opened.log().logStartOffset())
                .as("a higher one would drop the new records")
                .isEqualTo(7);
        assertThat(opened.log().logEndOffset()).isEqualTo(17);
        assertThat(opened.highWatermark())
                .as("a higher one would show uncommitted records")
                .isEqualTo(7);
        opened.log().abandon();
    }

    @Test
    void aRemovedPartitionFreesItsNameAndLeavesNothingToALaterOneOfThatName() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        directory.checkpointHighWatermarks(Map.of(ID, 30L));
        directory.checkpointRecoveryPoints();
        log.close();
        DataDirectory.FoundLog found = new DataDirectory.FoundLog(NAME, ID, root.resolve(NAME.toString()));
        Path renamed = directory.removeLog(found);

        assertThat(root.resolve(NAME.toString())).doesNotExist();
        assertThat(renamed.getFileName().toString()).endsWith("-delete");
        PartitionId again = new PartitionId(new TopicId(8, 8), 1);
        OpenedLog created = directory.createLog(NAME, again, SETTINGS);
        assertThat(created.log().logEndOffset()).isZero();
        assertThat(file("replication-offset-checkpoint")).isEqualTo("0\n0\n");
        created.log().abandon();
        directory.close();

        open("boot 1");
        assertThat(renamed).as("left over from the last run").doesNotExist();
        assertThat(directory.logs()).extracting(DataDirectory.FoundLog::id).containsExactly(again);
    }

    /** The directory was renamed, the rest was still to come: what checkpoints and index said stayed for ever. */
    @Test
    void aRemovalThatACrashCutShortIsFinished() throws IOException {
        SegmentLog log = create("boot 1");
        append(log, 3);
        log.close();
        directory.checkpointHighWatermarks(Map.of(ID, 30L));
        directory.checkpointRecoveryPoints();
        directory.closeCleanly(1);
        Path directoryOfLog = root.resolve(NAME.toString());
        Files.move(directoryOfLog, root.resolve(NAME + "." + ID.topicId() + "-delete"));

        open("boot 1");
        directory.startLoading();
        directory.close();
        assertThat(file("replication-offset-checkpoint")).isEqualTo("0\n0\n");
        assertThat(file("recovery-point-offset-checkpoint")).isEqualTo("0\n0\n");
        try (RocksDbIndex index = RocksDbIndex.open(disk, root.resolve("index"))) {
            assertThat(index.summary(ID, 0)).isEmpty();
            assertThat(index.newestSnapshot(ID, Long.MAX_VALUE)).isEmpty();
        }
    }

    @Test
    void removedDirectoriesCanBeDeletedAtOnce() throws IOException {
        create("boot 1").close();
        Path renamed = directory.removeLog(new DataDirectory.FoundLog(NAME, ID, root.resolve(NAME.toString())));
        directory.deleteRemoved(renamed);
        assertThat(renamed).doesNotExist();
        assertThatThrownBy(() -> directory.deleteRemoved(root)).isInstanceOf(Check.Violation.class);
    }

    @Test
    void onlyPartitionDirectoriesAreLogs() throws IOException {
        for (String name : List.of("topic", "-1", "topic-", "topic-01", "topic-x", "index")) {
            Files.createDirectories(root.resolve(name));
        }
        Files.createDirectories(root.resolve("halfmade-0"));
        Files.createDirectories(root.resolve("foreign-0"));
        Files.createFile(root.resolve("foreign-0").resolve(Segment.fileName(0)));
        open("boot 1");
        assertThat(directory.logs()).isEmpty();
        assertThat(directory.unidentified()).containsExactly(root.resolve("foreign-0"));
        assertThat(root.resolve("halfmade-0")).doesNotExist();
    }

    @Test
    void theMarkOfAnIncarnationThatIsGoneIsNotWrittenForItsSuccessor() throws IOException {
        PartitionId gone = new PartitionId(new TopicId(9, 9), 1);
        SegmentLog log = create("boot 1");
        append(log, 2);
        directory.checkpointHighWatermarks(Map.of(gone, 20L));
        assertThat(Files.readString(root.resolve(DataDirectory.HIGH_WATERMARKS)))
                .doesNotContain(NAME.topic());
        directory.checkpointHighWatermarks(Map.of(gone, 20L, ID, 10L));
        assertThat(Files.readString(root.resolve(DataDirectory.HIGH_WATERMARKS)))
                .contains(NAME.topic() + " 1 10");
    }

    @Test
    void aDirectoryOfUnknownTopicGivesItsNameToANewLogAndIsKept() throws IOException {
        for (int round = 1; round <= 2; round++) {
            Path foreign = root.resolve(NAME.toString());
            Files.createDirectories(foreign);
            Files.writeString(foreign.resolve(Segment.fileName(0)), "of round " + round);
            SegmentLog log = create("boot 1");
            assertThat(log.logEndOffset()).isZero();
            log.abandon();
            directory.close();
            Files.delete(foreign.resolve(PartitionMetadata.NAME));
            disk.delete(foreign);
        }
        assertThat(root.resolve(NAME + ".unidentified").resolve(Segment.fileName(0)))
                .hasContent("of round 1");
        assertThat(root.resolve(NAME + ".unidentified2").resolve(Segment.fileName(0)))
                .hasContent("of round 2");
        open("boot 1");
        assertThat(directory.logs()).isEmpty();
        assertThat(directory.unidentified()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na b 1\n", "0\nx\n", "0\n"})
    void aMalformedCheckpointIsAnError(String content) throws IOException {
        Files.writeString(root.resolve("replication-offset-checkpoint"), content);
        assertThatThrownBy(() -> open("boot 1")).isInstanceOf(IOException.class);
        directory = null;
    }

    @Test
    void anEmptyCheckpointHasNoEntries() throws IOException {
        Files.createFile(root.resolve("replication-offset-checkpoint"));
        open("boot 1");
        assertThat(directory.logs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "{\"version\":1,\"brokerEpoch\":5}", "{\"version\":0}"})
    void anUnreadableStopFileIsNoOrderlyStop(String content) throws IOException {
        Files.writeString(root.resolve(".kafka_cleanshutdown"), content);
        open("boot 1");
        assertThat(directory.cleanBrokerEpoch()).isEmpty();
    }

    @Test
    void logsOfOneDirectoryShareTheIndexWithoutMixing() throws IOException {
        open("boot 1");
        directory.startLoading();
        List<SegmentLog> logs = IntStream.range(0, 4)
                .mapToObj(i -> {
                    try {
                        PartitionId id = new PartitionId(new TopicId(1, 1), i);
                        return directory
                                .createLog(new LogName("t", i), id, SETTINGS)
                                .log();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
        for (int i = 0; i < 4; i++) {
            append(logs.get(i), i + 1);
        }
        logs.get(2).truncateTo(10);
        for (SegmentLog log : logs) {
            log.close();
        }
        directory.closeCleanly(1);
        open("boot 2");
        directory.startLoading();
        long[] ends = new long[4];
        for (DataDirectory.FoundLog found : directory.logs()) {
            SegmentLog log = directory.openLog(found, SETTINGS).log();
            ends[found.id().partition()] = log.logEndOffset();
            log.abandon();
        }
        assertThat(ends).containsExactly(10, 20, 10, 40);
    }
}
