package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.LogLines;
import io.tidemark.broker.net.RawClient;
import io.tidemark.broker.net.SampleRequests;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.ratis.QuorumHarness;
import io.tidemark.quorum.ratis.QuorumServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hundreds of bad inputs of every kind, thousands of clients that stall, and clients that do not read their answers:
 * afterwards the nodes hold what they held before, have complained about once a second, and a producer and a consumer
 * have not noticed.
 */
class BadInputFootprintTest {
    private static final String SERVED = "served";
    private static final String VICTIM = "victim";
    private static final int OF_EACH_KIND = 25;
    private static final int STALLED = 5_000;

    @TempDir
    private static Path root;

    private static BrokerCluster cluster;
    private static List<Integer> brokerPorts;
    private static List<Integer> controllerPorts;
    private static int leader;
    private static Bystanders bystanders;

    /** A producer and a consumer that go on all the time. */
    private static final class Bystanders implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicLong written = new AtomicLong();
        private final AtomicLong read = new AtomicLong();
        private final List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        private final Thread producer = new Thread(this::produce);
        private final Thread consumer = new Thread(this::consume);

        Bystanders() {
            producer.start();
            consumer.start();
        }

        private void produce() {
            try (KafkaProducer<byte[], byte[]> client = new KafkaProducer<>(
                    Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all", "max.block.ms", "60000"),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                while (!stop.get()) {
                    client.send(new ProducerRecord<>(SERVED, new byte[100])).get(60, TimeUnit.SECONDS);
                    written.incrementAndGet();
                }
            } catch (Exception e) {
                failures.add(e);
            }
        }

        private void consume() {
            try (KafkaConsumer<byte[], byte[]> client = new KafkaConsumer<>(
                    Map.of("bootstrap.servers", cluster.bootstrap()),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer())) {
                TopicPartition partition = new TopicPartition(SERVED, 0);
                client.assign(List.of(partition));
                client.seekToBeginning(List.of(partition));
                while (!stop.get()) {
                    read.addAndGet(client.poll(Duration.ofMillis(100)).count());
                }
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }

        /** Both have got on by some records since the call. */
        void goOn() {
            long wrote = written.get();
            Awaitility.await()
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> !failures.isEmpty() || written.get() > wrote + 10 && read.get() > wrote + 10);
            assertThat(failures).isEmpty();
        }

        @Override
        public void close() throws InterruptedException {
            stop.set(true);
            producer.join();
            consumer.join();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        cluster = new BrokerCluster(
                root,
                QuorumHarness.withCoreAndPatience(root, 3, 30_000),
                3,
                Map.of("auto.create.topics.enable", "false"));
        GroupClients.createTopic(cluster, SERVED, 1, 3);
        GroupClients.createTopic(cluster, VICTIM, 1, 3);
        brokerPorts = cluster.image().brokers().values().stream()
                .map(broker -> broker.endpoints().get(0).port())
                .toList();
        controllerPorts =
                cluster.quorum().voters().stream().map(voter -> voter.port()).toList();
        leader = cluster.image()
                .broker(cluster.partition(VICTIM, 0).leader())
                .endpoints()
                .get(0)
                .port();
        bystanders = new Bystanders();
        bystanders.goOn();
    }

    @AfterAll
    static void stop() throws Exception {
        bystanders.close();
        cluster.close();
    }

    private interface BadInput {
        void send(Random random) throws IOException;
    }

    private static BadInput bytes(List<Integer> ports, byte[] bytes) {
        return random -> {
            try (RawClient client = new RawClient(ports.get(random.nextInt(ports.size())))) {
                client.send(bytes);
                if (ports == brokerPorts) {
                    assertThat(client.closedByPeer()).isTrue();
                }
            }
        };
    }

    /** Answered with an error or cut off; what the other tests of bad input know exactly. */
    private static BadInput frame(byte[] content) {
        return random -> {
            try (RawClient client = new RawClient(leader)) {
                client.send(RawClient.frame(ByteBuffer.wrap(content)));
                client.closedByPeer();
            }
        };
    }

    private static List<BadInput> kinds() {
        List<BadInput> kinds = new ArrayList<>();
        byte[] http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] hello = new byte[205];
        hello[0] = 0x16;
        hello[1] = 0x03;
        for (byte[] each :
                List.of(RawClient.ints(0), RawClient.ints(-1), RawClient.ints(Integer.MAX_VALUE, 1, 2), http, hello)) {
            kinds.add(bytes(brokerPorts, each));
            kinds.add(bytes(controllerPorts, each));
        }
        // Half a frame, then away.
        kinds.add(random -> {
            try (RawClient client = new RawClient(brokerPorts.get(random.nextInt(3)))) {
                client.send(RawClient.ints(100_000 + random.nextInt(1_000_000), random.nextInt()));
            }
        });
        kinds.add(frame(new byte[] {3, (byte) 0xE7, 0, 0, 0, 0, 0, 5, -1, -1})); // an unknown API
        kinds.add(frame(new byte[] {0, 3, 0, 99, 0, 0, 0, 5, -1, -1})); // an unknown version
        for (ApiKeys key : List.of(ApiKeys.METADATA, ApiKeys.PRODUCE, ApiKeys.FETCH, ApiKeys.CREATE_TOPICS)) {
            short version = key.latestVersion();
            byte[] whole = SampleRequests.bytes(key, version, 5, SampleRequests.filled(key, version));
            kinds.add(frame(java.util.Arrays.copyOf(whole, whole.length - 3)));
            kinds.add(random -> {
                byte[] torn = whole.clone();
                for (int i = 16; i < torn.length; i++) {
                    torn[i] = (byte) -1; // varints without an end, absurd counts
                }
                frame(torn).send(random);
            });
        }
        for (CompressedLie lie : CompressedLie.values()) {
            kinds.add(random -> refused(lie.batch(random)));
        }
        kinds.add(random -> {
            CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
            for (String name : List.of("..", "a/b", "", "x".repeat(250), "many", "factor")) {
                request.topics()
                        .add(new CreateTopicsRequestData.CreatableTopic()
                                .setName(name)
                                .setNumPartitions(name.equals("many") ? 1_000_000 : 1)
                                .setReplicationFactor((short) (name.equals("factor") ? 4 : 1)));
            }
            try (RawClient client = new RawClient(leader)) {
                assertThat(client.call(new CreateTopicsRequest.Builder(request).build((short) 7))
                                .errorCounts()
                                .keySet())
                        .doesNotContain(org.apache.kafka.common.protocol.Errors.NONE);
            }
        });
        return kinds;
    }

    /** Batches that are not what they say. */
    private enum CompressedLie {
        CHECKSUM,
        FORMAT,
        COUNT,
        CONTROL,
        GARBAGE,
        BOMB;

        ByteBuffer batch(Random random) {
            Compression codec = this == BOMB ? Compression.zstd().build() : Compression.NONE;
            byte[] value = new byte[this == BOMB ? 80 << 20 : 100];
            ByteBuffer batch = this == BOMB && bomb != null
                    ? bomb.duplicate()
                    : MemoryRecords.withRecords(codec, new SimpleRecord(value)).buffer();
            switch (this) {
                case CHECKSUM -> batch.put(70, (byte) (batch.get(70) ^ 1));
                case FORMAT -> batch.put(16, (byte) 127);
                case COUNT -> batch.putInt(57, 2 + random.nextInt(1_000_000));
                case CONTROL -> batch.putShort(21, (short) 0x20);
                case GARBAGE -> batch.putShort(21, (short) (1 + random.nextInt(4)));
                case BOMB -> bomb = batch;
            }
            if (this != CHECKSUM) {
                CRC32C crc = new CRC32C();
                crc.update(batch.duplicate().position(21));
                batch.putInt(17, (int) crc.getValue());
            }
            return batch;
        }

        private static ByteBuffer bomb;
    }

    private static void refused(ByteBuffer batch) throws IOException {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(30_000);
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName(VICTIM)
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(MemoryRecords.readableRecords(batch)))));
        try (RawClient client = new RawClient(leader)) {
            assertThat(client.call(new ProduceRequest(request, (short) 12)).errorCounts())
                    .doesNotContainKey(org.apache.kafka.common.protocol.Errors.NONE);
        }
    }

    private static void sendAll(long seed) throws IOException {
        Random random = new Random(seed);
        for (BadInput kind : kinds()) {
            for (int i = 0; i < OF_EACH_KIND; i++) {
                kind.send(random);
            }
        }
    }

    @Test
    void hundredsOfBadInputsLeaveNothingBehind() throws Exception {
        sendAll(1); // buffers and classes of the first time stay
        bystanders.goOn();
        ClusterImage image = cluster.quorum().converged();
        QuorumServer controller = cluster.quorum().leader();
        Footprint before = Footprint.now();
        try (LogLines log = new LogLines()) {
            long start = System.nanoTime();
            sendAll(2);
            sendAll(3);
            bystanders.goOn();
            long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            // Each of three brokers complains once a second at most; nothing else warns.
            assertThat(log.complaints()).isNotEmpty().hasSizeLessThanOrEqualTo((int) (3 * (seconds + 1)));
            assertThat(log.all().stream().filter(line -> line.startsWith("io.tidemark")))
                    .isSubsetOf(log.complaints());
        }
        isBackAt(before);
        assertThat(cluster.quorum().leader()).isSameAs(controller);
        ClusterImage now = cluster.quorum().converged();
        assertThat(now.topics()).isEqualTo(image.topics());
        assertThat(now.brokers()).isEqualTo(image.brokers());
        assertThat(Files.size(cluster.directory(cluster.partition(VICTIM, 0).leader())
                        .resolve(VICTIM + "-0/00000000000000000000.log")))
                .isZero();
        try (Stream<Path> entries = Files.list(root)) {
            assertThat(entries.map(path -> path.getFileName().toString()))
                    .allMatch(name -> name.matches("(broker|controller)-\\d+"));
        }
        assertThat(cluster.fatal()).isEmpty();
        assertThat(cluster.quorum().failures()).isEmpty();
    }

    /** In the end: sockets are closed and memory is given back by others. */
    private static void isBackAt(Footprint before) {
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .untilAsserted(
                        () -> assertThat(Footprint.now().grownSince(before)).isEmpty());
    }

    /** As many as the process may have sockets for, which the report says. */
    private static int stalled(TestReporter reporter) {
        long possible = (Footprint.maxHandles() - Footprint.openHandles() - 1_000) / 2;
        int count = (int) Math.min(STALLED, possible);
        reporter.publishEntry("stalled clients", String.valueOf(count));
        if (count < STALLED) {
            System.err.println("only " + count + " instead of " + STALLED + " clients stall: a process may have "
                    + Footprint.maxHandles() + " handles (ulimit -n)");
        }
        assertThat(count).as("handles for stalled clients (ulimit -n)").isGreaterThan(500);
        return count;
    }

    @Test
    void thousandsOfClientsThatStallInTheirHeaderHoldNobodyUp(TestReporter reporter) throws Exception {
        int count = stalled(reporter);
        stall(brokerPorts, count); // fills the pools of buffers as far as they go
        Footprint before = Footprint.now();
        stall(brokerPorts, count);
        isBackAt(before);
        try (RawClient fresh = new RawClient(leader)) {
            assertThat(fresh.call(new ApiVersionsRequest.Builder().build())).isInstanceOf(ApiVersionsResponse.class);
        }
    }

    @Test
    void thousandsOfClientsThatStallAtTheControllersHoldNobodyUp(TestReporter reporter) throws Exception {
        QuorumServer controller = cluster.quorum().leader();
        int count = stalled(reporter);
        stall(controllerPorts, count);
        Footprint before = Footprint.now();
        stall(controllerPorts, count);
        isBackAt(before);
        assertThat(cluster.quorum().leader()).isSameAs(controller);
    }

    private static void stall(List<Integer> ports, int count) throws IOException {
        ClusterImage image = cluster.quorum().converged();
        List<SocketChannel> clients = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                SocketChannel client =
                        SocketChannel.open(new InetSocketAddress("127.0.0.1", ports.get(i % ports.size())));
                clients.add(client);
                // Two bytes of a length, a request without its end, or the beginning of HTTP/2's first words.
                client.write(ByteBuffer.wrap(
                        switch (i % 3) {
                            case 0 -> new byte[] {0, 0};
                            case 1 -> new byte[] {0, 0, 1, 0, 0, 3, 0};
                            default -> new byte[] {'P', 'R', 'I', ' '};
                        }));
            }
            bystanders.goOn();
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
        assertThat(cluster.quorum().converged().brokers()).isEqualTo(image.brokers());
    }

    /** Each asks for all that was written, again and again, as long as the kernel takes its requests. */
    @Test
    void clientsThatNeverReadTheirAnswersCostNoMemory() throws Exception {
        byte[] metadata = RawClient.frame(ByteBuffer.wrap(SampleRequests.bytes(
                ApiKeys.METADATA,
                (short) 1,
                1,
                new org.apache.kafka.common.message.MetadataRequestData().setTopics(null))));
        ByteBuffer many = ByteBuffer.allocateDirect(metadata.length * 10_000);
        while (many.remaining() >= metadata.length) {
            many.put(metadata);
        }
        many.flip();
        Footprint before = Footprint.now();
        List<SocketChannel> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                SocketChannel client = SocketChannel.open(new InetSocketAddress("127.0.0.1", leader));
                client.configureBlocking(false);
                clients.add(client);
                // Until nothing more is taken for a while: the broker reads on only when its answers are read.
                Awaitility.await()
                        .during(Duration.ofMillis(200))
                        .atMost(BrokerCluster.PATIENCE)
                        .until(() -> client.write(many.duplicate()) == 0);
            }
            bystanders.goOn();
            // The bound of what may be outstanding is 33 MB a connection; here the count of 100 requests is met first.
            assertThat(Footprint.now().direct()).isLessThan(before.direct() + (16 << 20));
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
        isBackAt(before);
    }
}
