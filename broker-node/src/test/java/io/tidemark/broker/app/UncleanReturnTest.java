package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Brokers that come back with logs that recovery had to cut, before a real quorum: nothing acknowledged is lost as long as
 * one log has it, and nobody has to be asked (B1).
 */
class UncleanReturnTest {
    private static final String TOPIC = "orders";
    private static final Map<String, String> SETTINGS =
            Map.of("broker.session.timeout.ms", "1000", "broker.heartbeat.interval.ms", "200");

    private final Map<Long, String> acked = new HashMap<>();

    @Test
    void isrToOneThenLeaderLost(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, SETTINGS)) {
            createTopic(cluster, 3, 2);
            PartitionState first = cluster.awaitIsr(TOPIC, 0, 3);
            write(cluster, 100);
            int leader = first.leader();
            List<Integer> others =
                    first.replicas().stream().filter(id -> id != leader).toList();
            int early = others.get(0);
            int late = others.get(1);
            cluster.kill(early);
            cluster.awaitIsr(TOPIC, 0, 2);
            write(cluster, 50);
            cluster.kill(late);
            Awaitility.await("the leader's word of how far it exposed")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> cluster.partition(TOPIC, 0).floor().kind() == Floor.Kind.KNOWN);
            PartitionState alone = cluster.partition(TOPIC, 0);
            assertThat(alone.isr()).containsExactly(leader);
            assertThat(alone.elr()).containsExactly(late);
            assertThat(alone.floor().offset()).isEqualTo(150);
            cluster.kill(leader);
            torn(cluster, late);
            cluster.start(late);
            PartitionState after = awaitLeader(cluster);
            assertThat(after.leader()).isEqualTo(late);
            assertThat(after.recovering()).as("an election like any other").isFalse();
            cluster.start(early);
            cluster.awaitIsr(TOPIC, 0, 2);
            write(cluster, 10);
            assertThat(read(cluster)).isEqualTo(acked);
            shortened(cluster, leader);
            cluster.start(leader);
            cluster.awaitIsr(TOPIC, 0, 3);
            assertThat(read(cluster)).isEqualTo(acked);
            assertThat(cluster.fatal()).isEmpty();
            assertThat(cluster.quorum().failures()).isEmpty();
        }
    }

    @Test
    void whoLacksWhatWasExposedIsNotElected(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, SETTINGS)) {
            createTopic(cluster, 2, 2);
            PartitionState first = cluster.awaitIsr(TOPIC, 0, 2);
            write(cluster, 50);
            int leader = first.leader();
            int follower = first.replicas().stream()
                    .filter(id -> id != leader)
                    .findFirst()
                    .orElseThrow();
            cluster.kill(follower);
            Awaitility.await()
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> cluster.partition(TOPIC, 0).floor().kind() == Floor.Kind.KNOWN);
            shortened(cluster, follower);
            cluster.kill(leader);
            cluster.start(follower);
            PartitionState waits = Awaitility.await("that the picture shows the follower's return")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(
                            () -> cluster.partition(TOPIC, 0),
                            state -> state.lastKnownElr().contains(follower));
            assertThat(waits.hasLeader()).isFalse();
            cluster.start(leader);
            assertThat(awaitLeader(cluster).leader()).isEqualTo(leader);
            cluster.awaitIsr(TOPIC, 0, 2);
            assertThat(read(cluster)).isEqualTo(acked);
        }
    }

    @Test
    void allDownUnclean(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, SETTINGS)) {
            createTopic(cluster, 3, 2);
            cluster.awaitIsr(TOPIC, 0, 3);
            write(cluster, 100);
            for (int id = 1; id <= 3; id++) {
                cluster.kill(id);
            }
            for (int id = 1; id <= 3; id++) {
                torn(cluster, id);
            }
            for (int id = 3; id >= 1; id--) {
                cluster.start(id);
            }
            awaitLeader(cluster);
            cluster.awaitIsr(TOPIC, 0, 3);
            write(cluster, 10);
            assertThat(read(cluster)).isEqualTo(acked);
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    @Test
    void theOnlyReplicaComesBackWhateverHappenedToIt(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 1_000, SETTINGS)) {
            createTopic(cluster, 1, 1);
            cluster.awaitIsr(TOPIC, 0, 1);
            write(cluster, 20);
            cluster.kill(1);
            cluster.start(1);
            assertThat(awaitLeader(cluster).recovering())
                    .as("only the process died")
                    .isFalse();
            assertThat(read(cluster)).isEqualTo(acked);
            cluster.kill(1);
            torn(cluster, 1);
            cluster.start(1);
            assertThat(awaitLeader(cluster).recovering())
                    .as("something was cut")
                    .isTrue();
            assertThat(read(cluster)).isEqualTo(acked);
            cluster.stop(1);
            cluster.start(1);
            awaitLeader(cluster);
            write(cluster, 5);
            assertThat(read(cluster)).isEqualTo(acked);
        }
    }

    @Test
    void s33_aLeaderWhoseDirectoryFailsEndsAndAnotherLeads(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, SETTINGS)) {
            createTopic(cluster, 3, 2);
            int leader = cluster.awaitIsr(TOPIC, 0, 3).leader();
            write(cluster, 20);
            Path directory = cluster.directory(leader).resolve(TOPIC + "-0");
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
                // The next batch begins a segment, for which there is no place.
                admin.incrementalAlterConfigs(Map.of(
                                new ConfigResource(ConfigResource.Type.TOPIC, TOPIC),
                                List.of(new AlterConfigOp(
                                        new ConfigEntry("internal.segment.bytes", "100"), AlterConfigOp.OpType.SET))))
                        .all()
                        .get();
            }
            try (KafkaProducer<String, String> producer = producer(cluster)) {
                Future<RecordMetadata> unwritten = producer.send(new ProducerRecord<>(TOPIC, 0, null, "value-20"));
                Awaitility.await("the broker gives up")
                        .atMost(BrokerCluster.PATIENCE)
                        .until(() -> !cluster.fatal().isEmpty());
                assertThat(cluster.fatal().get(0)).contains("the data directory", TOPIC + "-0");
                cluster.kill(leader);
                acked.put(unwritten.get().offset(), "value-20");
            }
            PartitionState after = cluster.awaitIsr(TOPIC, 0, 2);
            assertThat(after.leader()).isNotEqualTo(leader);
            assertThat(after.recovering()).isFalse();
            assertThat(read(cluster)).isEqualTo(acked);
            cluster.start(leader);
            cluster.awaitIsr(TOPIC, 0, 3);
        }
    }

    private static PartitionState awaitLeader(BrokerCluster cluster) {
        return Awaitility.await("a leader")
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.partition(TOPIC, 0), PartitionState::hasLeader);
    }

    /** The beginning of a write that a power loss cut off, in the log of a broker that is not running. */
    private static void torn(BrokerCluster cluster, int id) throws IOException {
        Files.write(segment(cluster, id), new byte[] {0, 0, 0, 0, 0, 0, 1}, StandardOpenOption.APPEND);
    }

    /** The last record is lost, in part: recovery cuts what is left of it. */
    private static void shortened(BrokerCluster cluster, int id) throws IOException {
        try (FileChannel file = FileChannel.open(segment(cluster, id), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - 3);
        }
    }

    private static Path segment(BrokerCluster cluster, int id) throws IOException {
        try (Stream<Path> files = Files.list(cluster.directory(id).resolve(TOPIC + "-0"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void createTopic(BrokerCluster cluster, int replicas, int minIsr) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            NewTopic topic = new NewTopic(TOPIC, 1, (short) replicas)
                    .configs(Map.of("min.insync.replicas", String.valueOf(minIsr)));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    private static KafkaProducer<String, String> producer(BrokerCluster cluster) {
        Map<String, Object> properties =
                Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all", "delivery.timeout.ms", 60_000);
        return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    private void write(BrokerCluster cluster, int records) throws Exception {
        try (KafkaProducer<String, String> producer = producer(cluster)) {
            for (int i = 0; i < records; i++) {
                String value = "value-" + acked.size();
                long offset = producer.send(new ProducerRecord<>(TOPIC, 0, null, value))
                        .get()
                        .offset();
                acked.put(offset, value);
            }
        }
    }

    private static Map<Long, String> read(BrokerCluster cluster) {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        Map<Long, String> read = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", cluster.bootstrap()), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    read.put(record.offset(), record.value());
                }
            }
        }
        return read;
    }
}
