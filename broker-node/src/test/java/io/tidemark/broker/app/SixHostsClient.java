package io.tidemark.broker.app;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
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

/** A client on the operator's machine: a process of its own, since it has to be in another network than the tests. */
final class SixHostsClient {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 3;

    private SixHostsClient() {}

    /**
     * {@code BOOTSTRAP write FROM TO NEW REPLICAS} creates the topic NEW, writes the numbers to another topic and prints
     * each once it is acknowledged; {@code BOOTSTRAP read} prints all there is.
     */
    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        if (arguments[1].equals("write")) {
            create(bootstrap, arguments[4], Short.parseShort(arguments[5]));
            write(bootstrap, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        } else {
            read(bootstrap);
        }
    }

    private static void create(String bootstrap, String topic, short replicas) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, replicas)))
                    .all()
                    .get();
        }
    }

    private static void write(String bootstrap, int from, int to) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "acks", "all"),
                new StringSerializer(),
                new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = from; i < to; i++) {
                sent.add(producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, Integer.toString(i))));
            }
            for (int i = from; i < to; i++) {
                sent.get(i - from).get();
                System.out.println(i);
            }
        }
    }

    private static void read(String bootstrap) {
        List<TopicPartition> all = IntStream.range(0, PARTITIONS)
                .mapToObj(i -> new TopicPartition(TOPIC, i))
                .toList();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    System.out.println(record.value());
                }
            }
        }
    }
}
