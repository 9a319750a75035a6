package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.RawClient;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.quorum.ratis.QuorumServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B5 and B6 with whole brokers: who is replaced at once, and what goes on without controllers. */
class DetectionTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final int SESSION_MS = 1_200;

    @Test
    void aKilledLeaderIsReplacedAndTakenOverWithoutWaitingForItsSession(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster =
                new BrokerCluster(root, 1, 3, 3_600_000, Map.of("broker.session.timeout.ms", "3600000"))) {
            createTopic(cluster);
            PartitionState before = cluster.awaitIsr(TOPIC, 0, 3);
            await(
                    "every broker is watched",
                    () -> cluster.quorum().leader().status().fastPathOff().isEmpty());
            cluster.kill(before.leader());
            await("another leads", () -> {
                PartitionState now = cluster.partition(TOPIC, 0);
                return now.hasLeader() && now.leader() != before.leader();
            });
            cluster.start(before.leader());
            cluster.awaitIsr(TOPIC, 0, 3);
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    @Test
    void withoutControllersTheClusterServesOnAndALonelyLeaderStopsAfterItsLease(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(
                root,
                1,
                3,
                SESSION_MS,
                Map.of("broker.session.timeout.ms", "" + SESSION_MS, "replica.fetch.wait.max.ms", "100"))) {
            createTopic(cluster);
            PartitionState state = cluster.awaitIsr(TOPIC, 0, 3);
            for (QuorumServer controller : cluster.quorum().servers()) {
                cluster.quorum().kill(controller.nodeId());
            }
            writesAndReadsGoOn(cluster, 3 * SESSION_MS);
            assertThat(cluster.partition(TOPIC, 0))
                    .as("nobody decided anything")
                    .isEqualTo(state);

            for (int id = 1; id <= 3; id++) {
                if (id != state.leader()) {
                    cluster.kill(id);
                }
            }
            try (RawClient client = new RawClient(portOf(cluster))) {
                await("consumers are turned away", () -> fetch(client, state) == Errors.NOT_LEADER_OR_FOLLOWER);
                assertThat(produce(client, state, (short) 1)).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
                assertThat(produce(client, state, (short) -1))
                        .as("acks=all does not depend on the lease; nobody is there to acknowledge")
                        .isEqualTo(Errors.REQUEST_TIMED_OUT);
            }
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    /** For that long every record is acknowledged by all and read back before the next is written. */
    private static void writesAndReadsGoOn(BrokerCluster cluster, long forMs) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
        try (KafkaProducer<String, String> producer = producer(cluster);
                KafkaConsumer<String, String> consumer = consumer(cluster)) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            for (int i = 0; System.nanoTime() < end; i++) {
                long offset = producer.send(new ProducerRecord<>(TOPIC, "value-" + i))
                        .get()
                        .offset();
                assertThat(offset).isEqualTo(i);
                String expected = "value-" + i;
                await("the record can be read", () -> {
                    ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
                    return records.count() == 1
                            && records.iterator().next().value().equals(expected);
                });
            }
        }
    }

    private static void await(String what, java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await(what)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .atMost(BrokerCluster.PATIENCE)
                .until(condition);
    }

    private static void createTopic(BrokerCluster cluster) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            NewTopic topic = new NewTopic(TOPIC, 1, (short) 3).configs(Map.of("min.insync.replicas", "2"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    private static KafkaProducer<String, String> producer(BrokerCluster cluster) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("acks", "all");
        // A producer id would be asked of the controllers.
        properties.put("enable.idempotence", "false");
        properties.put("linger.ms", "0");
        return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    private static KafkaConsumer<String, String> consumer(BrokerCluster cluster) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        return new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer());
    }

    /** Of the only broker that runs. */
    private static int portOf(BrokerCluster cluster) {
        String address = cluster.bootstrap();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static Uuid uuid(PartitionState state) {
        TopicId id = state.id().topicId();
        return new Uuid(id.high(), id.low());
    }

    private static Errors fetch(RawClient client, PartitionState state) throws IOException {
        FetchRequestData data = new FetchRequestData().setMaxWaitMs(50).setMinBytes(1);
        data.setTopics(List.of(new FetchRequestData.FetchTopic()
                .setTopicId(uuid(state))
                .setPartitions(List.of(new FetchRequestData.FetchPartition()
                        .setPartition(0)
                        .setFetchOffset(0)
                        .setPartitionMaxBytes(1 << 20)))));
        data.setSessionEpoch(-1);
        FetchResponse response = (FetchResponse) client.call(new FetchRequest(data, (short) 16));
        return Errors.forCode(
                response.data().responses().get(0).partitions().get(0).errorCode());
    }

    private static Errors produce(RawClient client, PartitionState state, short acks) throws IOException {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1}));
        ProduceRequestData data = new ProduceRequestData().setAcks(acks).setTimeoutMs(300);
        data.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setTopicId(uuid(state))
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(records))));
        ProduceResponse response = (ProduceResponse) client.call(new ProduceRequest(data, (short) 13));
        return Errors.forCode(response.data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .errorCode());
    }
}
