package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.judge.Availability;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.PartitionStateView;
import io.tidemark.broker.drill.report.DrillOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaFilesTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    @TempDir
    Path directory;

    private final Map<Integer, Path> replicas = new TreeMap<>();

    @BeforeEach
    void twoReplicas() throws IOException {
        for (int broker = 1; broker <= 2; broker++) {
            Path data = directory.resolve("broker-" + broker);
            Files.createDirectories(data.resolve("t-0"));
            replicas.put(broker, data);
            Files.writeString(
                    data.resolve("replication-offset-checkpoint"), "0\n2\nt 0 " + (broker + 1) + "\nt2 0 9\n");
        }
    }

    @Test
    void theMarkIsTheLargestOfTheCheckpoints() {
        assertThat(ReplicaFiles.mark(replicas, PARTITION, List.of())).isEqualTo(3);
    }

    @Test
    void whatWasReadBackIsBelowTheMarkWhateverTheCheckpointsSay() throws IOException {
        assertThat(ReplicaFiles.mark(replicas, PARTITION, List.of(new ReadRecord(4, 7), new ReadRecord(1, 2))))
                .isEqualTo(5);
        assertThat(ReplicaFiles.mark(replicas, PARTITION, List.of(new ReadRecord(1, 2))))
                .isEqualTo(3);
        for (Path data : replicas.values()) {
            Files.delete(data.resolve("replication-offset-checkpoint"));
        }
        assertThat(ReplicaFiles.mark(replicas, PARTITION, List.of(new ReadRecord(4, 7))))
                .isEqualTo(5);
    }

    @Test
    void replicasThatWereNotComparedAreNotTheSame() throws IOException {
        write(1, 0, batch(0, "a"));
        write(2, 0, batch(0, "b"));
        assertThat(comparison(List.of(inSync()), List.of(new ReadRecord(0, 1))).differences())
                .anyMatch(line -> line.contains("broker 2 differs from broker 1"));
        ReplicaComparison unknown = comparison(List.of(), List.of(new ReadRecord(0, 1)));
        assertThat(unknown.count()).isEmpty();
        assertThat(unknown.notes()).singleElement().asString().contains("t-0");
        for (Path data : replicas.values()) {
            Files.delete(data.resolve("replication-offset-checkpoint"));
        }
        ReplicaComparison unmarked = comparison(List.of(inSync()), List.of());
        assertThat(unmarked.count()).isEmpty();
        assertThat(unmarked.problems()).singleElement().asString().contains("t-0");
    }

    private ReplicaComparison comparison(List<Change> changes, List<ReadRecord> readBack) {
        ReplicaComparison comparison = new ReplicaComparison(replicas::get);
        comparison.add(
                new DrillOutcome.Partition(PARTITION, changes, new TreeMap<>(), new long[] {1}, new Availability(0, 0)),
                readBack);
        return comparison;
    }

    private static Change inSync() {
        PartitionStateView state = new PartitionStateView(1, 0, List.of(1, 2), List.of(1, 2), List.of());
        return new Change(1, 1, PARTITION, null, state, "CreateTopics", "created");
    }

    @Test
    void theSameBatchesInOtherSegmentsAreTheSame() throws IOException {
        write(1, 0, batch(0, "a"), batch(1, "b"), batch(2, "c"));
        write(2, 0, batch(0, "a"));
        write(2, 1, batch(1, "b"), batch(2, "c"));
        assertThat(ReplicaFiles.differences(replicas, PARTITION, 3)).isEmpty();
    }

    @Test
    void aTailAboveTheMarkMeansNothing() throws IOException {
        write(1, 0, batch(0, "a"), batch(1, "b"));
        write(2, 0, batch(0, "a"), batch(1, "x"));
        assertThat(ReplicaFiles.differences(replicas, PARTITION, 1)).isEmpty();
        assertThat(ReplicaFiles.differences(replicas, PARTITION, 2))
                .containsExactly("t-0: broker 2 differs from broker 1 in the batch at offset 1");
    }

    @Test
    void aMissingBatchBelowTheMarkIsToldWhicheverReplicaLacksIt() throws IOException {
        write(1, 0, batch(0, "a"), batch(1, "b"));
        write(2, 0, batch(0, "a"));
        assertThat(ReplicaFiles.differences(replicas, PARTITION, 2))
                .singleElement()
                .asString()
                .contains("in length");
        replicas.remove(1);
        assertThat(ReplicaFiles.differences(replicas, PARTITION, 2))
                .containsExactly("t-0: broker 2 ends at 1, below the mark 2");
    }

    private void write(int broker, long base, ByteBuffer... batches) throws IOException {
        int size = 0;
        for (ByteBuffer batch : batches) {
            size += batch.remaining();
        }
        ByteBuffer all = ByteBuffer.allocate(size);
        for (ByteBuffer batch : batches) {
            all.put(batch);
        }
        Files.write(
                replicas.get(broker).resolve("t-0").resolve(String.format(java.util.Locale.ROOT, "%020d.log", base)),
                all.array());
    }

    private static ByteBuffer batch(long offset, String value) {
        return MemoryRecords.withRecords(
                        offset,
                        Compression.NONE,
                        1,
                        new SimpleRecord(0, null, value.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .buffer();
    }
}
