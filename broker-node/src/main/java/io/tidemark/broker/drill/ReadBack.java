package io.tidemark.broker.drill;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a whole partition with an unmodified Kafka consumer. */
public final class ReadBack {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(500);

    private ReadBack() {}

    /**
     * All records in the order read; throws DrillException if 30 s bring nothing before the end is reached.
     *
     * @param told one past the highest offset that anybody was told of: a log that ends before it is asked again for
     *     30 s, since the answer may come from a broker that does not know yet that another one leads
     */
    public static List<ReadRecord> all(String bootstrap, TopicPartition partition, long told) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "quickstart-reader",
                        ConsumerConfig.METADATA_MAX_AGE_CONFIG,
                        500,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false),
                new StringDeserializer(),
                new StringDeserializer())) {
            return all(consumer, partition, told, PATIENCE);
        }
    }

    static List<ReadRecord> all(
            Consumer<String, String> consumer, TopicPartition partition, long told, Duration patience) {
        List<ReadRecord> records = new ArrayList<>();
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        long end = end(consumer, partition);
        long progress = System.nanoTime();
        while (consumer.position(partition) < Math.max(end, told)) {
            int before = records.size();
            for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                records.add(new ReadRecord(record.offset(), Long.parseLong(record.key())));
            }
            if (records.size() > before) {
                progress = System.nanoTime();
            } else if (System.nanoTime() - progress > patience.toNanos()) {
                if (consumer.position(partition) >= end) {
                    break;
                }
                throw new DrillException("reading stopped at offset " + consumer.position(partition) + " of " + end);
            } else {
                end = Math.max(end, end(consumer, partition));
            }
        }
        return records;
    }

    private static long end(Consumer<String, String> consumer, TopicPartition partition) {
        return consumer.endOffsets(List.of(partition)).get(partition);
    }
}
