package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.broker.health.BrokerMetrics;
import io.tidemark.broker.health.FollowerLag;
import io.tidemark.broker.health.LagTrend;
import io.tidemark.broker.health.LoopsAlive;
import io.tidemark.broker.health.ProblemsPage;
import io.tidemark.broker.health.SessionWatch;
import io.tidemark.broker.health.WarningsPage;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.health.Page;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumReply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pages of a broker say of its loops and the partitions on them. The loop turns only where a test lets it. */
class HealthOfLoopsTest {
    private static final TopicId TOPIC = new TopicId(1, 2);
    private static final long LAG_LIMIT_MS = 30_000;
    private static final long SESSION_MS = 2_500;

    /** Of R9.15: MBeans, and the names that the exporter's customary rules make of them. */
    private static final Map<String, String> EXPORTED = Map.ofEntries(
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=IsrShrinksPerSec",
                    "kafka_server_replicamanager_isrshrinks_total"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=IsrExpandsPerSec",
                    "kafka_server_replicamanager_isrexpands_total"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=FailedIsrUpdatesPerSec",
                    "kafka_server_replicamanager_failedisrupdates_total"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions",
                    "kafka_server_replicamanager_underreplicatedpartitions"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
                    "kafka_server_replicamanager_underminisrpartitioncount"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount",
                    "kafka_server_replicamanager_atminisrpartitioncount"),
            Map.entry(
                    "kafka.server:type=ReplicaManager,name=OfflineReplicaCount",
                    "kafka_server_replicamanager_offlinereplicacount"),
            Map.entry("kafka.server:type=ReplicaManager,name=LeaderCount", "kafka_server_replicamanager_leadercount"),
            Map.entry(
                    "kafka.server:type=ReplicaFetcherManager,name=MaxLag,clientId=Replica",
                    "kafka_server_replicafetchermanager_maxlag"),
            Map.entry(
                    "kafka.cluster:type=Partition,name=UnderMinIsr,topic=orders,partition=0",
                    "kafka_cluster_partition_underminisr"),
            Map.entry("kafka.log:type=Log,name=LogEndOffset,topic=orders,partition=0", "kafka_log_log_logendoffset"));

    /** Others of R9.10-R9.13. */
    private static final List<String> BEANS = List.of(
            "kafka.server:type=ReplicaManager,name=PartitionCount",
            "kafka.server:type=ReplicaManager,name=ReassigningPartitions",
            "kafka.server:type=ReplicaManager,name=PartitionsWithLateTransactionsCount",
            "kafka.server:type=ReplicaManager,name=ProducerIdCount",
            "kafka.server:type=ReplicaFetcherManager,name=MinFetchRate,clientId=Replica",
            "kafka.server:type=ReplicaFetcherManager,name=FailedPartitionsCount,clientId=Replica",
            "kafka.server:type=ReplicaFetcherManager,name=DeadThreadCount,clientId=Replica",
            "kafka.cluster:type=Partition,name=UnderReplicated,topic=orders,partition=0",
            "kafka.cluster:type=Partition,name=InSyncReplicasCount,topic=orders,partition=0",
            "kafka.cluster:type=Partition,name=AtMinIsr,topic=orders,partition=0",
            "kafka.cluster:type=Partition,name=ReplicasCount,topic=orders,partition=0",
            "kafka.cluster:type=Partition,name=LastStableOffsetLag,topic=orders,partition=0",
            "kafka.log:type=Log,name=LogStartOffset,topic=orders,partition=0",
            "kafka.log:type=Log,name=Size,topic=orders,partition=0",
            "kafka.log:type=Log,name=NumLogSegments,topic=orders,partition=0",
            "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize,delayedOperation=Produce",
            "kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations,delayedOperation=Fetch",
            "kafka.server:type=DelayedProduceMetrics,name=ExpiresPerSec",
            "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=follower",
            "kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer",
            "kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesInPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesOutPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=ReassignmentBytesInPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=ReassignmentBytesOutPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=FailedProduceRequestsPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=InvalidMessageCrcRecordsPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=InvalidOffsetOrSequenceRecordsPerSec",
            "kafka.server:type=BrokerTopicMetrics,name=NoKeyCompactedTopicRecordsPerSec");

    private Path root;
    private DataDirectory directory;
    private PartitionLoop loop;
    private Partitions partitions;
    private long nowMs = 1_000;
    private final SessionWatch session = new SessionWatch(SESSION_MS);

    @BeforeEach
    void loop(@TempDir Path folder) throws Exception {
        root = folder;
        RealDisk disk = new RealDisk();
        directory = DataDirectory.open(disk, root, RocksDbIndex.open(disk, root.resolve("index")), "boot", "run");
        directory.startLoading();
        PartitionLoop.Ports ports =
                new PartitionLoop.Ports(Runnable::run, Runnable::run, null, new LogStore(directory, root));
        loop = new PartitionLoop(0, 1, () -> new MonoTime(nowMs), ports);
        partitions = new Partitions(List.of(loop));
        loop.wire(partitions, new NoFetchers());
    }

    @AfterEach
    void close() {
        directory.close();
    }

    @Test
    void aLoopThatTurnsIsAlive() {
        assertThat(whileItTurns(new LoopsAlive(partitions)).status()).isEqualTo(200);
    }

    @Test
    void aLoopThatDoesNotTurnIsNotAlive() {
        Page.Answer answer = new LoopsAlive(partitions).answer(Map.of("within", "20"));
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.body()).contains("\"alive\":false", "a loop has not turned for 20 ms");
        assertThat(new LoopsAlive(partitions).answer(Map.of("within", "soon")).status())
                .isEqualTo(400);
    }

    @Test
    void aPartitionOutOfServiceIsAProblem() {
        PartitionHost host = led(0);
        led(1);
        ProblemsPage problems = new ProblemsPage(1, () -> image(1), partitions);
        assertThat(whileItTurns(problems).body()).isEmpty();
        fail(host);
        assertThat(whileItTurns(problems).body().lines())
                .singleElement()
                .asString()
                .startsWith("orders-0: out of service until this broker is restarted, and it is the leader: nobody is"
                        + " served: ");
        assertThat(whileItTurns(new ProblemsPage(1, () -> image(2), partitions)).body())
                .startsWith("orders-0: out of service until this broker is restarted: ");
    }

    @Test
    void aLogThatCouldNotBeMadeIsAProblem() throws Exception {
        broken(0);
        assertThat(whileItTurns(new ProblemsPage(1, () -> ClusterImage.EMPTY, partitions))
                        .body())
                .startsWith("orders-0: out of service until this broker is restarted: ");
    }

    @Test
    void replicasOutOfServiceAreCountedWithALogAndWithout() throws Exception {
        led(0);
        fail(led(1));
        broken(2);
        assertThat(metrics())
                .containsEntry("kafka_server_replicamanager_offlinereplicacount", 2L)
                .containsEntry("kafka_server_replicamanager_leadercount", 1L)
                .containsEntry("kafka_server_replicafetchermanager_deadthreadcount", 0L);
    }

    /** Without one loop the sums would be wrong; that it is missing is told. */
    @Test
    void aLoopThatDoesNotTurnIsADeadThread() {
        List<String> told = new ArrayList<>();
        source(20).collect(metric -> told.add(metric.name().name() + " " + metric.value()));
        assertThat(told).containsExactly("DeadThreadCount 1");
    }

    /** R9.10-R9.13, R9.15: operators' alerts and panels know these names. */
    @Test
    void metricsHaveTheCustomaryNames() {
        led(0);
        Map<String, String> names = new HashMap<>();
        BrokerMetrics metrics = source(5_000);
        whileItTurns(() -> {
            metrics.collect(metric -> names.put(
                    metric.name().objectName().toString(), metric.name().prometheusName()));
            return true;
        });
        assertThat(names).containsAllEntriesOf(EXPORTED).containsKeys(BEANS.toArray(String[]::new));
    }

    private BrokerMetrics source(long patienceMs) {
        return new BrokerMetrics(
                partitions,
                new FetchHandler(() -> ClusterImage.EMPTY, partitions, "PLAINTEXT", 10, 1_000, false),
                patienceMs);
    }

    private Map<String, Number> metrics() {
        BrokerMetrics metrics = source(5_000);
        return whileItTurns(() -> {
            Map<String, Number> values = new HashMap<>();
            metrics.collect(metric -> values.put(metric.name().prometheusName(), metric.value()));
            return values;
        });
    }

    @Test
    void aBrokerThatIsWellWarnsOfNothing() {
        led(0);
        assertThat(lines(warnings())).isEmpty();
    }

    @Test
    void moreThanFiveOfAKindAreCounted() {
        for (int i = 0; i < 7; i++) {
            write(led(i));
        }
        nowMs += 6_000;
        List<String> lines = lines(warnings());
        assertThat(lines).hasSize(6).last().isEqualTo("... and 2 partitions more like the last");
        assertThat(lines.subList(0, 5))
                .allSatisfy(line -> assertThat(line).startsWith("orders-").contains("has not moved for 6."));
    }

    /** Broker 2 has fetched once, from the start of the log. */
    @Test
    void theLagOfAFollowerIsWhatItsLeaderKnows() {
        PartitionHost host = led(0);
        write(host);
        SessionClock clock = new SessionClock();
        clock.fetched(nowMs, 2);
        host.read(new ReplicaEvent.FollowerFetch(1, 2, 0, 0, -1, 0, clock, true), 0, 1_000, true, new DiscardedRead());
        turns();
        nowMs += 6_000;
        assertThat(whileItTurns(() -> FollowerLag.of(partitions, 3_750))).contains(Map.of(2, 3L));
        assertThat(whileItTurns(() -> FollowerLag.of(partitions, 60_000))).contains(Map.of());
    }

    @Test
    void aSessionThatWasNearlyOverIsWarnedOf() {
        session.answered(MonoClock.SYSTEM.now().ms() - 2_000);
        assertThat(lines(warnings()))
                .singleElement()
                .asString()
                .startsWith("the controllers were not heard for ")
                .contains(" ms lately, of a session of 2500 ms: ");
    }

    @Test
    void aVolumeThatCannotBeAskedIsToldOf() {
        WarningsPage page =
                new WarningsPage(partitions, root.resolve("gone"), LAG_LIMIT_MS, session, new LagTrend(LAG_LIMIT_MS));
        assertThat(whileItTurns(page).body().lines()).singleElement().asString().startsWith("the volume of ");
    }

    private WarningsPage warnings() {
        return new WarningsPage(partitions, root, LAG_LIMIT_MS, session, new LagTrend(LAG_LIMIT_MS));
    }

    /** Where {@code leader} leads partition 0. */
    private static ClusterImage image(int leader) {
        PartitionState state = PartitionState.created(new PartitionId(TOPIC, 0), List.of(1, 2), List.of(1, 2), leader);
        return ClusterImage.EMPTY.apply(
                1,
                new MetadataEntry(
                        -1,
                        0,
                        new MetadataEntry.Cause("test", -1, -1, "", ""),
                        List.of(
                                new MetadataRecord.TopicCreated("orders", TOPIC),
                                new MetadataRecord.PartitionCreated(state)),
                        new QuorumReply.Done()));
    }

    /** But what the machine that runs the test has to say of its own disk. */
    private List<String> lines(Page page) {
        return whileItTurns(page)
                .body()
                .lines()
                .filter(line -> !line.contains("% of the volume of "))
                .toList();
    }

    private Page.Answer whileItTurns(Page page) {
        return whileItTurns(() -> page.answer(Map.of()));
    }

    private <T> T whileItTurns(Supplier<T> question) {
        CompletableFuture<T> answer = CompletableFuture.supplyAsync(question);
        while (!answer.isDone()) {
            loop.runOnce(new MonoTime(nowMs));
            Thread.onSpinWait();
        }
        return answer.join();
    }

    private PartitionHost created(int number) {
        return PartitionHost.create(
                new PartitionId(TOPIC, number),
                new LogName("orders", number),
                loop,
                TopicSettings.defaults(LogSettings.DEFAULTS),
                ReplicaSettings.defaults(1));
    }

    /** Broker 1 leads, 2 is a member of the ISR that never fetches. */
    private PartitionHost led(int number) {
        PartitionHost host = created(number);
        turns();
        PartitionState state = PartitionState.created(host.id(), List.of(1, 2), List.of(1, 2), 1);
        Map<Integer, BrokerView> brokers = Map.of(1, new BrokerView(1, 1, true), 2, new BrokerView(2, 2, true));
        host.metadata(
                new ReplicaEvent.MetadataChanged(state, brokers, 10), TopicSettings.defaults(LogSettings.DEFAULTS));
        turns();
        assertThat(host.replica().leads()).isTrue();
        return host;
    }

    private void write(PartitionHost host) {
        List<String> answers = new ArrayList<>();
        host.coordinator().append(new WrittenBatch(3, answers), host.state().leaderEpoch());
        turns();
        assertThat(answers).containsExactly("0");
    }

    private void fail(PartitionHost host) {
        host.fetcher().heard(null);
        turns();
        assertThat(host.outOfService()).isNotNull();
    }

    /** Its directory cannot be made: a file has that name. */
    private PartitionHost broken(int number) throws Exception {
        Files.writeString(root.resolve("orders-" + number), "in the way");
        PartitionHost host = created(number);
        turns();
        assertThat(host.log()).isNull();
        assertThat(host.outOfService()).isNotNull();
        return host;
    }

    private void turns() {
        for (int i = 0; i < 20; i++) {
            loop.runOnce(new MonoTime(nowMs));
        }
    }

    private static final class DiscardedRead implements ReadSink {
        @Override
        public void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
            slice.release();
        }

        @Override
        public void diverges(int epoch, long endOffset, long highWatermark, long logStart) {
            throw new AssertionError("diverges");
        }

        @Override
        public void refused(ReplicaError error, long highWatermark, long logStart) {
            throw new AssertionError(error.name());
        }
    }
}
