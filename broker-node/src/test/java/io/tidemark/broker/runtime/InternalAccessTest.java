package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a coordinator on a partition may do, and what it hears, by leader epoch. */
class InternalAccessTest {
    private static final PartitionId ID = new PartitionId(new TopicId(1, 2), 0);

    private final List<String> heard = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private DataDirectory directory;
    private PartitionLoop loop;
    private PartitionHost host;
    private long nowMs = 1_000;
    private long index = 10;

    @BeforeEach
    void partition(@TempDir Path root) throws Exception {
        RealDisk disk = new RealDisk();
        directory = DataDirectory.open(disk, root, RocksDbIndex.open(disk, root.resolve("index")), "boot", "run");
        directory.startLoading();
        PartitionLoop.Ports ports =
                new PartitionLoop.Ports(Runnable::run, Runnable::run, null, new LogStore(directory, root));
        loop = new PartitionLoop(0, 1, () -> new MonoTime(nowMs), ports);
        loop.wire(new Partitions(List.of(loop)), new NoFetchers());
        host = PartitionHost.create(
                ID,
                new LogName("t", 0),
                loop,
                TopicSettings.defaults(LogSettings.DEFAULTS),
                ReplicaSettings.defaults(1));
        turns();
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void aCoordinatorWritesAndHearsInItsEpochAlone() {
        lead(3, List.of(1), List.of(1), 1);
        Listener listener = new Listener();
        host.coordinator().addMarkListener(3, listener);
        host.coordinator().append(new WrittenBatch(2, answers), 3);
        turns();
        assertThat(answers).containsExactly("0");
        assertThat(heard).containsExactly("0", "2");

        lead(4, List.of(1), List.of(1), 1);
        assertThat(heard).containsExactly("0", "2", "retired");
        host.coordinator().append(new WrittenBatch(1, answers), 3);
        host.coordinator().append(new WrittenBatch(1, answers), 4);
        turns();
        assertThat(answers).containsExactly("0", "NOT_LEADER_OR_FOLLOWER", "2");
        assertThat(heard).as("the mark of epoch 4").containsExactly("0", "2", "retired");
    }

    @Test
    void anEpochThatIsOverHasNoListeners() {
        lead(3, List.of(1), List.of(1), 1);
        host.coordinator().addMarkListener(2, new Listener());
        turns();
        assertThat(heard).containsExactly("retired");
    }

    @Test
    void aListenerThatIsRemovedHearsNothingMore() {
        lead(3, List.of(1), List.of(1), 1);
        Listener listener = new Listener();
        host.coordinator().addMarkListener(3, listener);
        host.coordinator().removeMarkListener(listener);
        host.coordinator().append(new WrittenBatch(1, answers), 3);
        lead(4, List.of(1), List.of(1), 1);
        assertThat(heard).containsExactly("0");
    }

    @Test
    void listenersOfAPartitionThatGoesAreRetired() {
        lead(3, List.of(1), List.of(1), 1);
        host.coordinator().addMarkListener(3, new Listener());
        host.remove();
        turns();
        assertThat(heard).containsExactly("0", "retired");
    }

    /** R5.3 as with acks=all, and the answer does not wait for the mark. */
    @Test
    void belowTheMinIsrNothingIsWritten() {
        lead(3, List.of(1, 2), List.of(1), 2);
        host.coordinator().append(new WrittenBatch(1, answers), 3);
        turns();
        assertThat(answers).containsExactly("NOT_ENOUGH_REPLICAS");
        assertThat(host.replica().logEnd()).isZero();
    }

    @Test
    void aLoaderReadsBeyondTheMarkInItsEpochAlone() {
        lead(3, List.of(1, 2), List.of(1, 2), 1);
        host.coordinator().append(new WrittenBatch(3, answers), 3);
        turns();
        assertThat(answers).containsExactly("0");
        assertThat(host.highWatermark()).isZero();
        List<String> reads = new ArrayList<>();
        for (int epoch : new int[] {2, 3, 4}) {
            host.coordinator().read(epoch, 0, 1_000_000, new Reads(reads));
        }
        host.coordinator().read(3, 3, 1_000_000, new Reads(reads));
        turns();
        assertThat(reads)
                .containsExactly("NOT_LEADER_OR_FOLLOWER", "some, mark 0", "NOT_LEADER_OR_FOLLOWER", "none, mark 0");
    }

    private void lead(int epoch, List<Integer> replicas, List<Integer> isr, int minIsr) {
        PartitionState state = new PartitionState(
                ID,
                replicas,
                isr,
                List.of(),
                List.of(),
                1,
                epoch,
                epoch,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                minIsr);
        Map<Integer, BrokerView> brokers = Map.of(1, new BrokerView(1, 1, true), 2, new BrokerView(2, 2, true));
        host.metadata(
                new ReplicaEvent.MetadataChanged(state, brokers, ++index),
                TopicSettings.defaults(LogSettings.DEFAULTS));
        turns();
    }

    private void turns() {
        for (int i = 0; i < 20; i++) {
            loop.runOnce(new MonoTime(++nowMs));
        }
    }

    private final class Listener implements MarkListener {
        @Override
        public void reached(long highWatermark) {
            heard.add(String.valueOf(highWatermark));
        }

        @Override
        public void retired() {
            heard.add("retired");
        }
    }

    private record Reads(List<String> seen) implements ReadSink {
        @Override
        public void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
            seen.add((slice == null ? "none" : "some") + ", mark " + highWatermark);
            if (slice != null) {
                slice.release();
            }
        }

        @Override
        public void diverges(int epoch, long endOffset, long highWatermark, long logStart) {
            seen.add("diverges");
        }

        @Override
        public void refused(ReplicaError error, long highWatermark, long logStart) {
            seen.add(error.name());
        }
    }
}
