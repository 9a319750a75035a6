package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Brokers and controllers are killed, stopped and started at random under an idempotent producer with acks=all: nothing
 * acknowledged is lost or doubled, and in the end the replicas are equal byte for byte.
 */
class RandomFaultsTest {
    private static final String TOPIC = "ledger";
    private static final int PARTITIONS = 3;
    private static final int ROUNDS = 6;

    private final Map<String, Long> acked = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> refused = new ConcurrentLinkedQueue<>();

    @Test
    void nothingAcknowledgedIsLostAndReplicasEndEqual(@TempDir Path root) throws Exception {
        long seed = Long.getLong("tidemark.faults.seed", System.nanoTime());
        Random random = new Random(seed);
        List<String> course = new ArrayList<>();
        Map<String, String> settings = Map.of("broker.session.timeout.ms", "1000", "num.network.threads", "2");
        try (BrokerCluster cluster = new BrokerCluster(root, 3, 3, 1_000, settings)) {
            createTopic(cluster);
            awaitAllInSync(cluster);
            AtomicBoolean stop = new AtomicBoolean();
            Thread writer = new Thread(() -> write(cluster.bootstrap(), stop), "writer");
            writer.start();
            for (int round = 0; round < ROUNDS; round++) {
                awaitMoreAcks(100);
                fault(cluster, random, course);
            }
            awaitMoreAcks(100);
            stop.set(true);
            writer.join();
            assertThat(refused).as("seed %d, %s", seed, course).isEmpty();
            awaitAllInSync(cluster);
            assertThat(read(cluster)).as("seed %d, %s", seed, course).isEqualTo(new HashMap<>(acked));
            assertThat(cluster.fatal()).isEmpty();
            for (int id = 1; id <= 3; id++) {
                cluster.stop(id);
            }
            for (int partition = 0; partition < PARTITIONS; partition++) {
                byte[] first = log(cluster, 1, partition);
                assertThat(log(cluster, 2, partition))
                        .as("seed %d, %s", seed, course)
                        .isEqualTo(first);
                assertThat(log(cluster, 3, partition))
                        .as("seed %d, %s", seed, course)
                        .isEqualTo(first);
            }
        }
    }

    /** One node is away for as long as it takes to write some more; what the cluster is obliged to survive. */
    private void fault(BrokerCluster cluster, Random random, List<String> course) {
        int broker = 1 + random.nextInt(3);
        switch (random.nextInt(4)) {
            case 0, 1 -> {
                course.add("kill " + broker);
                cluster.kill(broker);
                awaitMoreAcks(50);
                cluster.start(broker);
                awaitAllInSync(cluster);
            }
            case 2 -> {
                course.add("stop " + broker);
                cluster.stop(broker);
                awaitMoreAcks(50);
                cluster.start(broker);
                awaitAllInSync(cluster);
            }
            default -> {
                int controller = cluster.quorum().leader().nodeId();
                course.add("kill controller " + controller);
                cluster.quorum().kill(controller);
                awaitMoreAcks(50);
                cluster.quorum().leader();
                cluster.quorum().startNode(controller);
            }
        }
    }

    private void write(String bootstrap, AtomicBoolean stop) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("acks", "all");
        properties.put("linger.ms", "1");
        properties.put("request.timeout.ms", "2000");
        properties.put("delivery.timeout.ms", "60000");
        properties.put("buffer.memory", "65536");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; !stop.get(); i++) {
                String value = "value-" + i + "-".repeat(500);
                producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, value), (metadata, failure) -> {
                    if (failure != null) {
                        refused.add(failure.toString());
                    } else {
                        acked.put(metadata.partition() + "@" + metadata.offset(), (long) value.hashCode());
                    }
                });
            }
        }
    }

    private void awaitMoreAcks(int more) {
        int wanted = acked.size() + more;
        Awaitility.await("acks").atMost(BrokerCluster.PATIENCE).until(() -> acked.size() >= wanted);
    }

    private static void awaitAllInSync(BrokerCluster cluster) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            cluster.awaitIsr(TOPIC, partition, 3);
        }
    }

    private static void createTopic(BrokerCluster cluster) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2"));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    /** Every record by partition and offset; a record that stands at two offsets shows as one more than acknowledged. */
    private static Map<String, Long> read(BrokerCluster cluster) {
        Map<String, Long> read = new HashMap<>();
        List<TopicPartition> all = Stream.iterate(0, i -> i < PARTITIONS, i -> i + 1)
                .map(partition -> new TopicPartition(TOPIC, partition))
                .toList();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", cluster.bootstrap()), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    read.put(record.partition() + "@" + record.offset(), (long)
                            record.value().hashCode());
                }
            }
        }
        return read;
    }

    private static byte[] log(BrokerCluster cluster, int broker, int partition) throws IOException {
        Path directory = cluster.directory(broker).resolve(TOPIC + "-" + partition);
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> segments = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
            assertThat(segments).hasSize(1);
            return Files.readAllBytes(segments.get(0));
        }
    }
}
