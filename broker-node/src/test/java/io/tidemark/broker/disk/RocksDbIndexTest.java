package io.tidemark.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.IndexEntry;
import io.tidemark.broker.log.OffsetIndex;
import io.tidemark.broker.log.SegmentSummary;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbIndexTest {
    /** Neighbours in key order, at both ends of the sign bits. */
    private static final PartitionId BEFORE = new PartitionId(new TopicId(-1, 5), 0);

    private static final PartitionId LOG = new PartitionId(new TopicId(-1, 5), 1);
    private static final PartitionId AFTER = new PartitionId(new TopicId(-1, 5), 2);
    private static final SegmentSummary SUMMARY = new SegmentSummary(1000, 50, -1, 3);

    @TempDir
    Path root;

    private final RealDisk disk = new RealDisk();
    private RocksDbIndex index;

    @BeforeEach
    void open() throws IOException {
        index = RocksDbIndex.open(disk, root.resolve("a/index"));
        for (PartitionId log : List.of(BEFORE, LOG, AFTER)) {
            index.put(log, 0, List.of(entry(0), entry(10), entry(20)));
            index.put(log, 30, List.of(entry(30), entry(40)));
            index.putSummary(log, 0, SUMMARY);
            index.putSummary(log, 30, SUMMARY);
            index.putSnapshot(log, 30, new byte[] {1});
            index.putSnapshot(log, 40, new byte[] {2});
        }
    }

    @AfterEach
    void close() {
        index.close();
    }

    private static IndexEntry entry(long offset) {
        return new IndexEntry(offset, (int) offset * 7, offset - 1);
    }

    private long[] offsets(PartitionId log, long base) throws IOException {
        return index.entries(log, base).stream().mapToLong(IndexEntry::offset).toArray();
    }

    private void othersAreWhole() throws IOException {
        for (PartitionId log : List.of(BEFORE, AFTER)) {
            assertThat(offsets(log, 0)).containsExactly(0, 10, 20);
            assertThat(offsets(log, 30)).containsExactly(30, 40);
            assertThat(index.summary(log, 30)).contains(SUMMARY);
            assertThat(index.newestSnapshot(log, 99)).isPresent();
        }
    }

    @Test
    void entriesAreFoundFromBelowWithinTheirSegment() throws IOException {
        assertThat(index.floor(LOG, 0, 0)).contains(entry(0));
        assertThat(index.floor(LOG, 0, 19)).contains(entry(10));
        assertThat(index.floor(LOG, 0, 99)).contains(entry(20));
        assertThat(index.floor(LOG, 30, 29)).isEmpty();
        assertThat(index.floor(LOG, 50, 60)).isEmpty();
        assertThat(index.entries(LOG, 0)).containsExactly(entry(0), entry(10), entry(20));
    }

    @Test
    void onlyWhatIsToStayIsKept() throws IOException {
        index.keepOnly(Set.of(BEFORE, AFTER, new PartitionId(new TopicId(7, 7), 0)));
        othersAreWhole();
        assertThat(index.entries(LOG, 0)).isEmpty();
        assertThat(index.summary(LOG, 30)).isEmpty();
        assertThat(index.newestSnapshot(LOG, 99)).isEmpty();
        index.close();
        index = RocksDbIndex.open(disk, root.resolve("a/index"));
        assertThat(index.entries(LOG, 30)).as("without a further flush").isEmpty();
        othersAreWhole();
    }

    @Test
    void snapshotsAreFoundFromBelow() throws IOException {
        assertThat(index.newestSnapshot(LOG, 29)).isEmpty();
        assertThat(index.newestSnapshot(LOG, 39).map(OffsetIndex.Snapshot::offset))
                .contains(30L);
        assertThat(index.newestSnapshot(LOG, 40).orElseThrow().states()).containsExactly(2);
        index.deleteSnapshots(LOG, 31, 41);
        assertThat(index.newestSnapshot(LOG, 99).map(OffsetIndex.Snapshot::offset))
                .contains(30L);
        index.deleteSnapshots(LOG, 0, 31);
        assertThat(index.newestSnapshot(LOG, 99)).isEmpty();
        othersAreWhole();
    }

    @Test
    void aTruncationForgetsWhatLiesAboveIt() throws IOException {
        index.truncate(LOG, 0, 15);
        assertThat(offsets(LOG, 0)).containsExactly(0, 10);
        assertThat(offsets(LOG, 30)).isEmpty();
        assertThat(index.summary(LOG, 0)).isEmpty();
        assertThat(index.summary(LOG, 30)).isEmpty();
        othersAreWhole();
    }

    @Test
    void aDeletedSegmentOrLogLeavesItsNeighbours() throws IOException {
        index.deleteSegment(LOG, 0);
        assertThat(offsets(LOG, 0)).isEmpty();
        assertThat(index.summary(LOG, 0)).isEmpty();
        assertThat(offsets(LOG, 30)).containsExactly(30, 40);
        index.deleteLog(LOG);
        assertThat(offsets(LOG, 30)).isEmpty();
        assertThat(index.summary(LOG, 30)).isEmpty();
        assertThat(index.newestSnapshot(LOG, 99)).isEmpty();
        othersAreWhole();
    }

    @Test
    void whatWasFlushedIsThereAfterReopening() throws IOException {
        index.flush();
        index.put(LOG, 30, List.of(entry(50)));
        index.close();
        index = RocksDbIndex.open(disk, root.resolve("a/index"));
        assertThat(index.entries(LOG, 30)).containsExactly(entry(30), entry(40));
        assertThat(index.summary(LOG, 0)).contains(SUMMARY);
    }

    @Test
    void anUnreadableIndexIsBegunAnew() throws IOException {
        index.close();
        Files.writeString(root.resolve("a/index/CURRENT"), "nonsense\n");
        index = RocksDbIndex.open(disk, root.resolve("a/index"));
        assertThat(index.entries(LOG, 0)).isEmpty();
        index.put(LOG, 0, List.of(entry(5)));
        assertThat(offsets(LOG, 0)).containsExactly(5);
    }
}
