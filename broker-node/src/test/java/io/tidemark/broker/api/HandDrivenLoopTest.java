package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.replica.LeaderProbe;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.runtime.AlterPartitionSender;
import io.tidemark.broker.runtime.LogStore;
import io.tidemark.broker.runtime.MetadataPublisher;
import io.tidemark.broker.runtime.NoFetchers;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.TopicState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.common.requests.DeleteRecordsResponse;
import org.apache.kafka.common.requests.DescribeLogDirsRequest;
import org.apache.kafka.common.requests.DescribeProducersRequest;
import org.apache.kafka.common.requests.DescribeProducersResponse;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handlers over one loop with real logs, turned by hand and with a pool of one thread that runs when told to. */
class HandDrivenLoopTest {
    private static final short FETCH_VERSION = 17;
    private static final short PRODUCE_VERSION = 13;
    private static final int FOR_EVER_MS = Integer.MAX_VALUE;

    @TempDir
    Path root;

    private final FakeQuorum quorum = new FakeQuorum();
    private final Queue<Runnable> blocking = new ArrayDeque<>();
    private DataDirectory directory;
    private PartitionLoop loop;
    private Partitions partitions;
    private MetadataPublisher publisher;
    private FetchHandler fetch;
    private ProduceHandler produce;
    private final ExecutorService otherThread = Executors.newSingleThreadExecutor();
    private volatile long nowMs = 1_000;

    @BeforeEach
    void start() throws IOException {
        start(1);
    }

    private void start(int loops) throws IOException {
        start(loops, LogSettings.DEFAULTS);
    }

    private void start(int loops, LogSettings settings) throws IOException {
        RealDisk disk = new RealDisk();
        Path data = Files.createDirectory(root.resolve("data-" + loops + settings.synced()));
        directory = DataDirectory.open(disk, data, RocksDbIndex.open(disk, data.resolve("index")), "boot", "run");
        directory.startLoading();
        PartitionLoop.Ports ports = new PartitionLoop.Ports(
                blocking::add,
                Runnable::run,
                new AlterPartitionSender(1, () -> 1, quorum, Runnable::run),
                new LogStore(directory, data));
        List<PartitionLoop> all = new ArrayList<>();
        for (int i = 0; i < loops; i++) {
            all.add(new PartitionLoop(i, loops, () -> new MonoTime(nowMs), ports));
        }
        loop = all.get(0);
        partitions = new Partitions(all);
        all.forEach(one -> one.wire(partitions, new NoFetchers()));
        publisher = new MetadataPublisher(ReplicaSettings.defaults(1), TopicSettings.defaults(settings), partitions);
        fetch = new FetchHandler(quorum, partitions, TestBroker.LISTENER, 10, 1 << 20, true);
        produce = new ProduceHandler(quorum, partitions);
        quorum.register(1, "", new Endpoint(TestBroker.LISTENER, "127.0.0.1", 1));
        turn();
    }

    @AfterEach
    void stop() {
        directory.close();
        otherThread.shutdownNow();
    }

    private void turn() {
        nowMs++;
        loop.runOnce(new MonoTime(nowMs));
    }

    /** A turn of the second loop, on a thread of its own as any loop has. */
    private void turnOther() {
        CompletableFuture.runAsync(() -> partitions.loop(1).runOnce(new MonoTime(nowMs)), otherThread)
                .join();
    }

    /** Until nothing is left to do: the pool's only thread takes one task after the other. */
    private void settle() {
        turn();
        while (!blocking.isEmpty()) {
            blocking.poll().run();
            turn();
        }
    }

    private TopicState create(String name, int count) {
        quorum.submit(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic(name, count, 1, List.of(), Map.of())), false, "test"));
        return quorum.get().topic(name);
    }

    private void delete(String name) {
        quorum.submit(new QuorumCommand.DeleteTopics(
                List.of(new QuorumCommand.TopicRef(
                        name, quorum.get().topic(name).id())),
                "test"));
    }

    private FakeCall fetch(TopicState topic, FetchMetadata session, int... named) {
        Map<TopicPartition, FetchRequest.PartitionData> rows = new LinkedHashMap<>();
        for (int partition : named) {
            rows.put(
                    new TopicPartition(topic.name(), partition),
                    new FetchRequest.PartitionData(ClusterView.uuid(topic.id()), 0, 0, 1 << 20, Optional.empty()));
        }
        return fetch(session, FOR_EVER_MS, rows);
    }

    /** Of a reader that has records of epoch 0 up to {@code offset}. */
    private FakeCall fetchFrom(TopicState topic, FetchMetadata session, int waitMs, long offset, int... named) {
        Map<TopicPartition, FetchRequest.PartitionData> rows = new LinkedHashMap<>();
        for (int partition : named) {
            rows.put(
                    new TopicPartition(topic.name(), partition),
                    new FetchRequest.PartitionData(
                            ClusterView.uuid(topic.id()), offset, 0, 1 << 20, Optional.empty(), Optional.of(0)));
        }
        return fetch(session, waitMs, rows);
    }

    private FakeCall fetch(FetchMetadata session, int waitMs, Map<TopicPartition, FetchRequest.PartitionData> rows) {
        FakeCall call = new FakeCall(FetchRequest.Builder.forConsumer(FETCH_VERSION, waitMs, 1, rows)
                .metadata(session)
                .build(FETCH_VERSION));
        fetch.handle(call);
        return call;
    }

    private static FetchResponseData.PartitionData row(FakeCall call) {
        FetchResponse response = (FetchResponse) call.answer.join();
        assertThat(response.error()).isEqualTo(Errors.NONE);
        return response.data().responses().get(0).partitions().get(0);
    }

    private FakeCall send(TopicState topic, int partition) {
        return send(topic, partition, MemoryRecords.withRecords(Compression.NONE, new SimpleRecord("v".getBytes())));
    }

    private FakeCall send(TopicState topic, int partition, MemoryRecords records) {
        ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1_000);
        ProduceRequestData.TopicProduceData row =
                new ProduceRequestData.TopicProduceData().setTopicId(ClusterView.uuid(topic.id()));
        row.partitionData()
                .add(new ProduceRequestData.PartitionProduceData()
                        .setIndex(partition)
                        .setRecords(records));
        data.topicData().add(row);
        FakeCall call =
                new FakeCall(new ProduceRequest.Builder(PRODUCE_VERSION, PRODUCE_VERSION, data).build(PRODUCE_VERSION));
        produce.handle(call);
        return call;
    }

    private ProduceResponseData.PartitionProduceResponse produce(TopicState topic) {
        FakeCall call = send(topic, 0);
        settle();
        return ((ProduceResponse) call.answer.join())
                .data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
    }

    /** A topic whose partitions are spread over two loops, all of them open. */
    private TopicState onTwoLoops() throws IOException {
        directory.close();
        start(2);
        TopicState topic = create("t", 8);
        publisher.publish(quorum.get());
        turnOther();
        while (!blocking.isEmpty()) {
            blocking.poll().run();
            turn();
            turnOther();
        }
        return topic;
    }

    private int[] onOtherLoop(TopicState topic) {
        return IntStream.range(0, 8)
                .filter(i -> partitions.loopOf(new PartitionId(topic.id(), i)).index() == 1)
                .toArray();
    }

    @Test
    void recordsThatComeDuringALookAreNotMissed() throws IOException {
        TopicState topic = onTwoLoops();
        int[] there = onOtherLoop(topic);

        FakeCall waiting = fetch(topic, FetchMetadata.INITIAL, there[0], there[1]);
        turnOther(); // has looked at the first, and found nothing
        send(topic, there[0]);
        turnOther(); // has written, and says so
        turn(); // asks for the second, hears of the record in the first
        for (int i = 0; i < 4; i++) {
            turnOther();
            turn();
        }
        assertThat(waiting.answer)
                .as("the record is found without waiting for the time")
                .isDone();
        assertThat(((FetchResponse) waiting.answer.join())
                        .data()
                        .responses()
                        .get(0)
                        .partitions())
                .anyMatch(row -> row.records().sizeInBytes() > 0);
    }

    @Test
    void whatAGivenUpFetchWouldHaveBeenToldIsToldToTheNext() throws IOException {
        TopicState topic = onTwoLoops();
        int there = onOtherLoop(topic)[0];
        FakeCall first = fetchFrom(topic, FetchMetadata.INITIAL, FOR_EVER_MS, 7, there);
        for (int i = 0; i < 3 && !first.answer.isDone(); i++) {
            turnOther();
            turn();
        }
        int session = ((FetchResponse) first.answer.join()).sessionId();
        FakeCall asking = fetchFrom(topic, new FetchMetadata(session, 1), FOR_EVER_MS, 8, there);
        FakeCall second = fetchFrom(topic, new FetchMetadata(session, 2), 500, 8);
        assertThat(asking.answer).as("given up while the other loop looks").isDone();
        for (int i = 0; i < 3; i++) {
            turnOther();
            turn();
        }
        nowMs += 500;
        for (int i = 0; i < 3; i++) {
            turn();
            turnOther();
        }
        assertThat(row(second).divergingEpoch().endOffset())
                .as("the reader's log parts from ours")
                .isZero();
    }

    @Test
    void aReaderThatCameBeforeThePartitionHearsOfItsRecords() {
        TopicState topic = create("t", 1);
        FakeCall early = fetch(topic, FetchMetadata.INITIAL, 0);
        turn();
        assertThat(row(early).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
        int session = ((FetchResponse) early.answer.join()).sessionId();

        publisher.publish(quorum.get());
        settle();
        FakeCall waiting = fetch(topic, FetchMetadata.newIncremental(session));
        turn();
        assertThat(waiting.answer).as("nothing to read yet").isNotDone();
        assertThat(produce(topic).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(waiting.answer).as("the record wakes the fetch").isDone();
        assertThat(row(waiting).records().sizeInBytes()).isPositive();
    }

    /** A topic of one partition whose batches count once they are synced. */
    private TopicState synced() throws IOException {
        directory.close();
        start(1, LogSettings.DEFAULTS.withSynced(true));
        TopicState topic = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        return topic;
    }

    @Test
    void withFsyncABatchCountsOnceItIsSynced() throws IOException {
        TopicState topic = synced();
        FakeCall waiting = fetch(topic, FetchMetadata.INITIAL, 0);
        FakeCall produced = send(topic, 0);
        turn();
        turn();
        PartitionHost host = loop.host(new PartitionId(topic.id(), 0));
        assertThat(host.sizeInBytes()).as("it is written").isPositive();
        assertThat(produced.answer).isNotDone();
        assertThat(waiting.answer).isNotDone();
        assertThat(host.highWatermark()).isZero();
        settle();
        assertThat(produced.answer).isDone();
        assertThat(waiting.answer).isDone();
        assertThat(host.highWatermark()).isEqualTo(1);
    }

    @Test
    void whatComesDuringASyncIsSyncedByOneMore() throws IOException {
        TopicState topic = synced();
        FakeCall first = send(topic, 0);
        turn();
        FakeCall second = send(topic, 0);
        turn();
        FakeCall third = send(topic, 0);
        turn();
        assertThat(blocking).hasSize(1);
        blocking.poll().run();
        turn();
        assertThat(first.answer).isDone();
        assertThat(second.answer).isNotDone();
        assertThat(blocking).hasSize(1);
        blocking.poll().run();
        turn();
        assertThat(second.answer).isDone();
        assertThat(third.answer).isDone();
        assertThat(blocking).isEmpty();
    }

    @Test
    void aLeaderEpochWaitsUntilWhatWasWrittenBeforeItCounts() throws IOException {
        TopicState topic = synced();
        PartitionId id = new PartitionId(topic.id(), 0);
        PartitionHost host = loop.host(id);
        int epoch = host.state().leaderEpoch();
        send(topic, 0);
        turn();
        quorum.apply(new MetadataRecord.PartitionChanged(id, 1, null, null, null, null, null, null, null, null, null));
        publisher.publish(quorum.get());
        turn();
        assertThat(host.state().leaderEpoch()).isEqualTo(epoch);
        settle();
        assertThat(host.state().leaderEpoch()).isEqualTo(epoch + 1);
        assertThat(host.replica()
                        .epochs()
                        .endOffsetFor(epoch, host.replica().logEnd())
                        .offset())
                .as("what was written belongs to the epoch it was written in")
                .isEqualTo(1);
        assertThat(produce(topic).baseOffset()).isEqualTo(1);
    }

    @Test
    void aTopicThatIsDeletedAndCreatedAtOnceNeedsNoSecondThread() {
        TopicState first = create("t", 3);
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(first).baseOffset()).isZero();

        // The removals wait behind a look-up, so the creations come to the pool first.
        loop.hosts().forEach(HandDrivenLoopTest::keepBusy);
        ClusterImage before = quorum.get();
        delete("t");
        TopicState second = create("t", 3);
        publisher.publish(quorum.get());
        assertThat(before.topic("t").id()).isNotEqualTo(second.id());
        settle();
        assertThat(produce(second).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(produce(second).baseOffset()).as("a log of its own").isEqualTo(1);
        assertThat(loop.hosts()).hasSize(3);
    }

    /** The simulation found it (seed 403989): the follower stayed out of the ISR for good. */
    @Test
    void whereAFollowerIsIsHeardThoughItsFetchWasGivenUp() {
        quorum.register(2, "", new Endpoint(TestBroker.LISTENER, "127.0.0.1", 2));
        quorum.submit(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic("t", 2, 2, List.of(), Map.of())), false, "test"));
        TopicState topic = quorum.get().topic("t");
        publisher.publish(quorum.get());
        settle();
        send(topic, 0);
        send(topic, 1);
        settle();
        FakeCall opening = follow(topic, FetchMetadata.INITIAL, 0, 0, 1);
        settle();
        int session = ((FetchResponse) opening.answer.join()).sessionId();

        keepBusy(loop.host(new PartitionId(topic.id(), 0)));
        follow(topic, new FetchMetadata(session, 1), 1, 0, 1); // cannot look at the first, so not at the second either
        follow(topic, new FetchMetadata(session, 2), 1);
        settle();
        nowMs += 500;
        settle();
        assertThat(LeaderProbe.known(loop.host(new PartitionId(topic.id(), 1)).replica()))
                .contains("2 at 1 ");
    }

    /** The simulation found it (seed 404746): the follower did not ask again for what nobody refused it. */
    @Test
    void aFetchThatIsGivenUpSaysWhatItRefused() {
        quorum.register(2, "", new Endpoint(TestBroker.LISTENER, "127.0.0.1", 2));
        quorum.submit(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic("t", 1, 2, List.of(), Map.of())), false, "test"));
        TopicState topic = quorum.get().topic("t");
        publisher.publish(quorum.get());
        settle();
        FakeCall opening = follow(topic, FetchMetadata.INITIAL, 0, 0);
        settle();
        nowMs += 500;
        settle();
        int session = ((FetchResponse) opening.answer.join()).sessionId();

        keepBusy(loop.host(new PartitionId(topic.id(), 0)));
        Map<TopicPartition, FetchRequest.PartitionData> rows = rows(topic, 0, 0);
        rows.put(
                new TopicPartition("nobody-knows", 3),
                new FetchRequest.PartitionData(new Uuid(5, 6), 0, 0, 1 << 20, Optional.of(0), Optional.of(0)));
        FakeCall asking = follow(new FetchMetadata(session, 1), rows);
        assertThat(asking.answer).as("it waits for the partition that is busy").isNotDone();
        follow(topic, new FetchMetadata(session, 2), 0);
        settle();
        FetchResponseData.PartitionData refused = ((FetchResponse) asking.answer.join())
                .data().responses().stream()
                        .filter(row -> row.topicId().equals(new Uuid(5, 6)))
                        .flatMap(row -> row.partitions().stream())
                        .findFirst()
                        .orElseThrow();
        assertThat(refused.partitionIndex()).isEqualTo(3);
        assertThat(refused.errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
    }

    /** A fetch of broker 2 that names those partitions, at that offset. */
    private FakeCall follow(TopicState topic, FetchMetadata session, long offset, int... named) {
        return follow(session, rows(topic, offset, named));
    }

    private static Map<TopicPartition, FetchRequest.PartitionData> rows(TopicState topic, long offset, int... named) {
        Map<TopicPartition, FetchRequest.PartitionData> rows = new LinkedHashMap<>();
        for (int partition : named) {
            rows.put(
                    new TopicPartition(topic.name(), partition),
                    new FetchRequest.PartitionData(
                            ClusterView.uuid(topic.id()), offset, 0, 1 << 20, Optional.of(0), Optional.of(0)));
        }
        return rows;
    }

    private FakeCall follow(FetchMetadata session, Map<TopicPartition, FetchRequest.PartitionData> rows) {
        FakeCall call = new FakeCall(FetchRequest.Builder.forReplica(
                        FETCH_VERSION, 2, quorum.get().broker(2).epoch(), 400, 1, rows)
                .metadata(session)
                .build(FETCH_VERSION));
        fetch.handle(call);
        return call;
    }

    /** It went into the queue of the partition that was about to go, and with it. */
    @Test
    void aPartitionThatIsMovedAwayAndBackWhileItIsBusyIsThere() {
        quorum.register(2, "", new Endpoint(TestBroker.LISTENER, "127.0.0.1", 2));
        TopicState topic = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(topic).baseOffset()).isZero();
        PartitionId id = new PartitionId(topic.id(), 0);

        keepBusy(loop.host(id));
        quorum.apply(moved(id, 2, List.of(2)));
        publisher.publish(quorum.get());
        turn();
        PartitionHost leaving = loop.leaving().get(0);
        assertThat(leaving.whenGone()).isNotDone();
        quorum.apply(moved(id, 2, List.of(2, 1)));
        publisher.publish(quorum.get());
        settle();
        assertThat(loop.host(id)).isNotNull();
        assertThat(loop.host(id).state().replicas()).containsExactly(2, 1);
        assertThat(loop.host(id).log().logEndOffset()).as("a log of its own").isZero();
        assertThat(leaving.whenGone()).isCompletedWithValue(true);
        assertThat(loop.leaving()).isEmpty();
    }

    private static MetadataRecord.PartitionChanged moved(PartitionId id, int leader, List<Integer> replicas) {
        return new MetadataRecord.PartitionChanged(
                id, leader, List.of(leader), null, null, null, replicas, null, null, null, null);
    }

    private static void keepBusy(PartitionHost host) {
        host.lookUp(0, 1, (found, error) -> {});
    }

    @Test
    void aPartitionOutOfServiceGivesItsNameBack() {
        TopicState first = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        PartitionHost host = loop.host(new PartitionId(first.id(), 0));
        host.ask(null, (effect, error) -> {});
        assertThat(host.failed()).as("a question that breaks a rule").isTrue();

        delete("t");
        TopicState second = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(second).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(host.whenGone()).as("an orderly stop waits for it").isCompletedWithValue(true);
        assertThat(loop.leaving()).isEmpty();
    }

    @Test
    void aChangedConfigurationCountsFromTheNextBatchOn() {
        TopicState topic = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(topic).errorCode()).isEqualTo(Errors.NONE.code());
        quorum.apply(new MetadataRecord.ConfigSet(ConfigResource.topic("t"), "max.message.bytes", "10"));
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(topic).errorCode()).isEqualTo(Errors.MESSAGE_TOO_LARGE.code());
        quorum.apply(
                new MetadataRecord.ConfigSet(ConfigResource.topic("t"), "max.message.bytes", null),
                new MetadataRecord.ConfigSet(ConfigResource.CLUSTER_DEFAULT, "message.max.bytes", "11"));
        publisher.publish(quorum.get());
        settle();
        assertThat(produce(topic).errorCode()).isEqualTo(Errors.MESSAGE_TOO_LARGE.code());
    }

    @Test
    void logDirectoriesAreDescribedInEveryVersion() throws IOException {
        TopicState topic = create("t", 2);
        publisher.publish(quorum.get());
        settle();
        produce(topic);
        DescribeLogDirsHandler handler = new DescribeLogDirsHandler(partitions, root, Runnable::run);
        DescribeLogDirsRequestData one = new DescribeLogDirsRequestData();
        one.topics()
                .add(new DescribeLogDirsRequestData.DescribableLogDirTopic()
                        .setTopic("t")
                        .setPartitions(List.of(0, 9)));
        for (short version = ApiKeys.DESCRIBE_LOG_DIRS.oldestVersion();
                version <= ApiKeys.DESCRIBE_LOG_DIRS.latestVersion();
                version++) {
            DescribeLogDirsResponseData.DescribeLogDirsResult all =
                    describe(handler, new DescribeLogDirsRequestData().setTopics(null), version);
            assertThat(all.topics())
                    .singleElement()
                    .satisfies(row -> assertThat(row.partitions()).hasSize(2));
            DescribeLogDirsResponseData.DescribeLogDirsResult named = describe(handler, one, version);
            assertThat(named.logDir()).isEqualTo(root.toString());
            assertThat(named.topics())
                    .singleElement()
                    .satisfies(row -> assertThat(row.partitions())
                            .singleElement()
                            .satisfies(partition ->
                                    assertThat(partition.partitionSize()).isGreaterThan(60)));
            assertThat(named.totalBytes()).isGreaterThanOrEqualTo(named.usableBytes());
            assertThat(named.totalBytes() > 0).isEqualTo(version >= 4);
        }
    }

    private DescribeLogDirsResponseData.DescribeLogDirsResult describe(
            DescribeLogDirsHandler handler, DescribeLogDirsRequestData request, short version) {
        FakeCall call = new FakeCall(new DescribeLogDirsRequest(request, version));
        handler.handle(call);
        turn();
        return written(call, new DescribeLogDirsResponseData(), version)
                .results()
                .get(0);
    }

    @Test
    void producersAreDescribedAsTheLogRemembersThem() throws IOException {
        TopicState topic = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                77,
                (short) 3,
                0,
                new SimpleRecord(5, "a".getBytes()),
                new SimpleRecord(6, "b".getBytes()));
        send(topic, 0, records);
        settle();
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName("t")
                        .setPartitionIndexes(List.of(0, 9)));
        request.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName("missing")
                        .setPartitionIndexes(List.of(0)));
        FakeCall call = new FakeCall(new DescribeProducersRequest.Builder(request).build((short) 0));
        new DescribeProducersHandler(quorum, partitions).handle(call);
        turn();
        DescribeProducersResponseData answer = written(call, new DescribeProducersResponseData(), (short) 0);
        List<DescribeProducersResponseData.PartitionResponse> rows =
                answer.topics().get(0).partitions();
        assertThat(rows.get(0).activeProducers()).singleElement().satisfies(producer -> {
            assertThat(producer.producerId()).isEqualTo(77);
            assertThat(producer.producerEpoch()).isEqualTo(3);
            assertThat(producer.lastSequence()).isEqualTo(1);
            assertThat(producer.currentTxnStartOffset()).isEqualTo(-1);
        });
        assertThat(rows.get(1).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(answer.topics().get(1).partitions().get(0).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    @Test
    void recordsAreDeletedInEveryVersion() throws IOException {
        TopicState topic = create("t", 1);
        publisher.publish(quorum.get());
        settle();
        produce(topic);
        for (short version = ApiKeys.DELETE_RECORDS.oldestVersion();
                version <= ApiKeys.DELETE_RECORDS.latestVersion();
                version++) {
            produce(topic);
            DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(1_000);
            for (String name : List.of("t", "missing", "__consumer_offsets")) {
                request.topics()
                        .add(new DeleteRecordsRequestData.DeleteRecordsTopic()
                                .setName(name)
                                .setPartitions(List.of(
                                        new DeleteRecordsRequestData.DeleteRecordsPartition()
                                                .setPartitionIndex(0)
                                                .setOffset(-1),
                                        new DeleteRecordsRequestData.DeleteRecordsPartition()
                                                .setPartitionIndex(9)
                                                .setOffset(0))));
            }
            FakeCall call = new FakeCall(new DeleteRecordsRequest.Builder(request).build(version));
            new DeleteRecordsHandler(quorum, partitions).handle(call);
            turn();
            DeleteRecordsResponseData.DeleteRecordsTopicResultCollection topics =
                    written(call, new DeleteRecordsResponseData(), version).topics();
            DeleteRecordsResponseData.DeleteRecordsPartitionResult row =
                    topics.find("t").partitions().find(0);
            assertThat(row.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(row.lowWatermark()).isEqualTo(2 + version);
            assertThat(topics.find("t").partitions().find(9).errorCode())
                    .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
            assertThat(topics.find("missing").partitions().find(0).errorCode())
                    .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
    }

    /** The answer as a client of that version reads it. */
    private static <T extends ApiMessage> T written(FakeCall call, T read, short version) {
        ByteBufferAccessor bytes =
                MessageUtil.toByteBufferAccessor(call.answer.join().data(), version);
        read.read(bytes, version);
        return read;
    }

    @Test
    void cancelledTimersDoNotPileUp() {
        int[] ran = {0};
        for (int i = 0; i < 100_000; i++) {
            loop.at(Long.MAX_VALUE - i, () -> ran[0]++).cancel();
        }
        assertThat(loop.timers()).isLessThan(10_000);
        loop.at(nowMs, () -> ran[0]++);
        turn();
        assertThat(ran[0]).isOne();
    }

    @Test
    void aBrokerThatHasHeardOfNoMetadataYetDoesNotSayThatATopicIsUnknown() {
        ClusterImage told = ClusterImage.EMPTY.apply(
                0,
                new MetadataEntry(
                        -1, 1, new MetadataEntry.Cause("test", -1, -1, "", ""), List.of(), new QuorumReply.Done()));
        assertThat(errorsOfAnUnknownTopic(ClusterImage.EMPTY))
                .hasSize(4)
                .allMatch(error -> error == Errors.NOT_LEADER_OR_FOLLOWER.code());
        assertThat(errorsOfAnUnknownTopic(told))
                .hasSize(4)
                .allMatch(error -> error == Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    /** Of ListOffsets, DeleteRecords, DescribeProducers and OffsetsForLeaderEpoch. */
    private List<Short> errorsOfAnUnknownTopic(ClusterImage image) {
        FakeCall offsets = new FakeCall(ListOffsetsRequest.Builder.forReplica((short) 7, -1)
                .setTargetTimes(List.of(new ListOffsetsTopic()
                        .setName("nowhere")
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-2)))))
                .build((short) 7));
        new ListOffsetsHandler(() -> image, partitions).handle(offsets);
        FakeCall deletion = new FakeCall(new DeleteRecordsRequest.Builder(new DeleteRecordsRequestData()
                        .setTopics(List.of(new DeleteRecordsRequestData.DeleteRecordsTopic()
                                .setName("nowhere")
                                .setPartitions(
                                        List.of(new DeleteRecordsRequestData.DeleteRecordsPartition().setOffset(1))))))
                .build());
        new DeleteRecordsHandler(() -> image, partitions).handle(deletion);
        FakeCall producers = new FakeCall(new DescribeProducersRequest.Builder(new DescribeProducersRequestData()
                        .setTopics(List.of(new DescribeProducersRequestData.TopicRequest()
                                .setName("nowhere")
                                .setPartitionIndexes(List.of(0)))))
                .build());
        new DescribeProducersHandler(() -> image, partitions).handle(producers);
        OffsetForLeaderTopicCollection topics = new OffsetForLeaderTopicCollection();
        topics.add(new OffsetForLeaderTopic()
                .setTopic("nowhere")
                .setPartitions(List.of(new OffsetForLeaderPartition().setPartition(0))));
        FakeCall epochs = new FakeCall(
                OffsetsForLeaderEpochRequest.Builder.forConsumer(topics).build());
        new EpochEndHandler(() -> image, partitions).handle(epochs);
        return List.of(
                ((ListOffsetsResponse) offsets.answer.join())
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode(),
                ((DeleteRecordsResponse) deletion.answer.join())
                        .data()
                        .topics()
                        .iterator()
                        .next()
                        .partitions()
                        .iterator()
                        .next()
                        .errorCode(),
                ((DescribeProducersResponse) producers.answer.join())
                        .data()
                        .topics()
                        .get(0)
                        .partitions()
                        .get(0)
                        .errorCode(),
                ((OffsetsForLeaderEpochResponse) epochs.answer.join())
                        .data()
                        .topics()
                        .iterator()
                        .next()
                        .partitions()
                        .get(0)
                        .errorCode());
    }
}
