package io.tidemark.broker.drill;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a whole partition with an unmodified Kafka consumer. */
public final class ReadBack {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private ReadBack() {}

    /** All records in the order read; throws DrillException if 30 s bring nothing before the end is reached. */
    public static List<ReadRecord> all(String bootstrap, TopicPartition partition) {
        List<ReadRecord> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        "quickstart-reader",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            long progress = System.nanoTime();
            while (consumer.position(partition) < end) {
                int before = records.size();
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(500))) {
                    records.add(new ReadRecord(record.offset(), Long.parseLong(record.key())));
                }
                if (records.size() > before) {
                    progress = System.nanoTime();
                } else if (System.nanoTime() - progress > PATIENCE_NANOS) {
                    throw new DrillException(
                            "reading stopped at offset " + consumer.position(partition) + " of " + end);
                }
            }
        }
        return records;
    }
}
