package io.tidemark.broker.app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Unmodified clients for the tests of groups: members that run, an admin, a producer. */
final class GroupClients {
    private GroupClients() {}

    static Admin admin(BrokerCluster cluster) {
        return Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
    }

    static void createTopic(BrokerCluster cluster, String topic, int partitions, int replicas) throws Exception {
        try (Admin admin = admin(cluster)) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) replicas)))
                    .all()
                    .get();
        }
        for (int partition = 0; partition < partitions; partition++) {
            cluster.awaitIsr(topic, partition, replicas);
        }
    }

    /** Values {@code from} to {@code to} - 1, spread over the partitions in turn. */
    static void produce(BrokerCluster cluster, String topic, int partitions, int from, int to) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("acks", "all");
        properties.put("request.timeout.ms", "2000");
        properties.put("delivery.timeout.ms", "60000");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
            for (int i = from; i < to; i++) {
                producer.send(new ProducerRecord<>(topic, i % partitions, "key", String.valueOf(i)));
            }
        }
    }

    /** Without a reset policy: a lost committed offset is an exception. */
    static KafkaConsumer<String, String> consumer(BrokerCluster cluster, String protocol, String group, String reset) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("group.id", group);
        properties.put("group.protocol", protocol);
        properties.put("auto.offset.reset", reset);
        properties.put("enable.auto.commit", "false");
        properties.put("reconnect.backoff.max.ms", "200");
        properties.put("request.timeout.ms", "5000");
        properties.put("default.api.timeout.ms", "60000");
        return new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer());
    }

    static Map<TopicPartition, OffsetAndMetadata> committed(
            BrokerCluster cluster, String protocol, String group, String topic, int partitions) {
        List<TopicPartition> asked = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.add(new TopicPartition(topic, partition));
        }
        try (KafkaConsumer<String, String> consumer = consumer(cluster, protocol, group, "none")) {
            return consumer.committed(Set.copyOf(asked));
        }
    }

    /** A member that polls and commits on its own thread until it is closed. */
    static final class Member implements AutoCloseable {
        final List<String> values = new CopyOnWriteArrayList<>();
        final AtomicReference<Exception> failure = new AtomicReference<>();
        private final KafkaConsumer<String, String> consumer;
        private final Thread thread;
        private volatile boolean stopping;
        private volatile Collection<TopicPartition> assigned = List.of();

        Member(BrokerCluster cluster, String protocol, String group, String topic, String reset) {
            consumer = consumer(cluster, protocol, group, reset);
            consumer.subscribe(List.of(topic));
            thread = new Thread(this::run, "member");
            thread.start();
        }

        private void run() {
            try {
                while (!stopping) {
                    Map<TopicPartition, OffsetAndMetadata> read =
                            new TreeMap<>((a, b) -> Integer.compare(a.partition(), b.partition()));
                    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                        values.add(record.value());
                        read.put(
                                new TopicPartition(record.topic(), record.partition()),
                                new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), "note"));
                    }
                    assigned = Set.copyOf(consumer.assignment());
                    if (!read.isEmpty()) {
                        consumer.commitSync(read);
                    }
                }
            } catch (RuntimeException e) {
                failure.set(e);
            } finally {
                consumer.close();
            }
        }

        Collection<TopicPartition> assigned() {
            return assigned;
        }

        @Override
        public void close() throws InterruptedException {
            stopping = true;
            thread.join();
            if (failure.get() != null) {
                throw new AssertionError("the member failed", failure.get());
            }
        }
    }
}
