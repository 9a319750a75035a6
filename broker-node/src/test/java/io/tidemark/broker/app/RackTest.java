package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real consumer that says where it stands reads from the broker in its rack (R4.40, R4.41). */
class RackTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final String SENT = "kafka_server_brokertopicmetrics_bytesout_total";

    @Test
    void aConsumerReadsFromItsOwnRack(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(
                root,
                1,
                3,
                3_000,
                Map.of("replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector"),
                id -> Map.of("broker.rack", "rack-" + id))) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 3)))
                        .all()
                        .get();
            }
            List<Integer> isr = cluster.awaitIsr(TOPIC, 0, 3).isr();
            int leader = cluster.partition(TOPIC, 0).leader();
            int near = isr.stream().filter(id -> id != leader).findFirst().orElseThrow();
            try (KafkaConsumer<String, String> consumer = consumer(cluster, "rack-" + near)) {
                consumer.assign(List.of(PARTITION));
                consumer.seekToBeginning(List.of(PARTITION));
                // Where it is sent with its first fetch; what is written after that comes from there.
                consumer.poll(Duration.ofMillis(100));
                write(cluster, 0, 100);
                assertThat(read(consumer, 100)).hasSize(100);
                write(cluster, 100, 200);
                assertThat(read(consumer, 100)).startsWith("value-100").endsWith("value-199");
            }
            assertThat(Scrape.metrics(cluster.healthPort(near)).get(SENT)).isPositive();
            assertThat(Scrape.metrics(cluster.healthPort(leader)).get(SENT)).isZero();

            try (KafkaConsumer<String, String> consumer = consumer(cluster, "rack-of-nobody")) {
                consumer.assign(List.of(PARTITION));
                consumer.seekToBeginning(List.of(PARTITION));
                assertThat(read(consumer, 200)).hasSize(200);
            }
            assertThat(Scrape.metrics(cluster.healthPort(leader)).get(SENT)).isPositive();
        }
    }

    @Test
    void aConsumerGoesOnAtTheLeaderWhenItsBrokerDies(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(
                root,
                1,
                3,
                1_000,
                Map.of(
                        "replica.selector.class",
                        "org.apache.kafka.common.replica.RackAwareReplicaSelector",
                        "broker.session.timeout.ms",
                        "1000"),
                id -> Map.of("broker.rack", "rack-" + id))) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 3)))
                        .all()
                        .get();
            }
            List<Integer> isr = cluster.awaitIsr(TOPIC, 0, 3).isr();
            int leader = cluster.partition(TOPIC, 0).leader();
            int near = isr.stream().filter(id -> id != leader).findFirst().orElseThrow();
            try (KafkaConsumer<String, String> consumer = consumer(cluster, "rack-" + near)) {
                consumer.assign(List.of(PARTITION));
                consumer.seekToBeginning(List.of(PARTITION));
                write(cluster, 0, 50);
                assertThat(read(consumer, 50)).hasSize(50);
                cluster.kill(near);
                write(cluster, 50, 100);
                assertThat(read(consumer, 50)).startsWith("value-50").endsWith("value-99");
            }
        }
    }

    private static List<String> read(KafkaConsumer<String, String> consumer, int count) {
        List<String> values = new ArrayList<>();
        long deadline = System.nanoTime() + BrokerCluster.PATIENCE.toNanos();
        while (values.size() < count && System.nanoTime() < deadline) {
            consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
        }
        return values;
    }

    private static KafkaConsumer<String, String> consumer(BrokerCluster cluster, String rack) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("client.rack", rack);
        properties.put("key.deserializer", StringDeserializer.class.getName());
        properties.put("value.deserializer", StringDeserializer.class.getName());
        return new KafkaConsumer<>(properties);
    }

    private static void write(BrokerCluster cluster, int from, int to) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("acks", "all");
        properties.put("key.serializer", StringSerializer.class.getName());
        properties.put("value.serializer", StringSerializer.class.getName());
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties)) {
            for (int i = from; i < to; i++) {
                producer.send(new ProducerRecord<>(TOPIC, "value-" + i));
            }
        }
    }
}
