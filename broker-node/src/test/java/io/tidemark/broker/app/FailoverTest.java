package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.PartitionState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job with unmodified clients: a replicated topic outlives its leader without losing what was acknowledged. */
class FailoverTest {
    private static final String TOPIC = "orders";

    @Test
    void whatWasAcknowledgedOutlivesTheLeader(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster =
                new BrokerCluster(root, 3, 3, 1_000, Map.of("broker.session.timeout.ms", "1000"))) {
            createTopic(cluster, 3, 2);
            cluster.awaitIsr(TOPIC, 0, 3);
            Map<Long, String> acked = new HashMap<>();
            try (KafkaProducer<String, String> producer = producer(cluster)) {
                send(producer, 0, 500, acked);
                PartitionState before = cluster.partition(TOPIC, 0);
                List<Future<RecordMetadata>> underWay = new ArrayList<>();
                for (int i = 500; i < 1000; i++) {
                    underWay.add(producer.send(new ProducerRecord<>(TOPIC, "key", "value-" + i)));
                    if (i == 600) {
                        cluster.kill(before.leader());
                    }
                }
                for (int i = 0; i < underWay.size(); i++) {
                    acked.put(underWay.get(i).get().offset(), "value-" + (500 + i));
                }
                PartitionState after = Awaitility.await("another leads, in every broker's picture in the end")
                        .atMost(BrokerCluster.PATIENCE)
                        .until(() -> cluster.partition(TOPIC, 0), state -> state.leader() != before.leader());
                assertThat(after.leaderEpoch()).isGreaterThan(before.leaderEpoch());
                assertThat(read(cluster)).isEqualTo(acked);
                cluster.start(before.leader());
                cluster.awaitIsr(TOPIC, 0, 3);
            }
            assertThat(cluster.fatal()).isEmpty();
            assertThat(cluster.quorum().failures()).isEmpty();
        }
    }

    @Test
    void everythingIsStillThereAfterAllBrokersStoppedInOrder(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster =
                new BrokerCluster(root, 1, 3, 1_000, Map.of("broker.session.timeout.ms", "1000"))) {
            createTopic(cluster, 3, 2);
            cluster.awaitIsr(TOPIC, 0, 3);
            Map<Long, String> acked = new HashMap<>();
            try (KafkaProducer<String, String> producer = producer(cluster)) {
                send(producer, 0, 200, acked);
            }
            for (int id = 1; id <= 3; id++) {
                cluster.stop(id);
            }
            for (int id = 3; id >= 1; id--) {
                cluster.start(id);
            }
            Awaitility.await()
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> cluster.partition(TOPIC, 0).hasLeader());
            assertThat(read(cluster)).isEqualTo(acked);
            cluster.awaitIsr(TOPIC, 0, 3);
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
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("acks", "all");
        properties.put("linger.ms", "0");
        properties.put("request.timeout.ms", "2000");
        properties.put("delivery.timeout.ms", "60000");
        return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    private static void send(KafkaProducer<String, String> producer, int from, int to, Map<Long, String> acked)
            throws Exception {
        for (int i = from; i < to; i++) {
            String value = "value-" + i;
            acked.put(
                    producer.send(new ProducerRecord<>(TOPIC, "key", value))
                            .get()
                            .offset(),
                    value);
        }
    }

    private static Map<Long, String> read(BrokerCluster cluster) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("auto.offset.reset", "earliest");
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        Map<Long, String> read = new HashMap<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
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
