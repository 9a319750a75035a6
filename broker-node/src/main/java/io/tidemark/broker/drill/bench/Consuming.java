package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One consumer with the defaults that reads what is there of a topic, by assignment, twice: the first time warms up. */
final class Consuming {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String bootstrap;
    private final Servers servers;

    Consuming(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /**
     * @param megabytesPerSecond of record values, 1e6 bytes
     * @param cpuSecondsPerGb of the brokers
     */
    record Outcome(double megabytesPerSecond, double cpuSecondsPerGb) {}

    Outcome run(String topic, int partitions) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(all);
            read(consumer, all);
            double cpuBefore = servers.brokerCpuSeconds();
            long start = System.nanoTime();
            long bytes = read(consumer, all);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpu = servers.brokerCpuSeconds() - cpuBefore;
            return new Outcome(bytes / 1e6 / seconds, cpu / (bytes / 1e9));
        }
    }

    /** Returns the bytes of all values from the beginning to the end. */
    private static long read(KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> all) {
        long left = consumer.endOffsets(all).values().stream()
                        .mapToLong(Long::longValue)
                        .sum()
                - consumer.beginningOffsets(all).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
        consumer.seekToBeginning(all);
        long bytes = 0;
        long progress = System.nanoTime();
        while (left > 0) {
            long before = left;
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                bytes += record.value().length;
                left--;
            }
            if (left < before) {
                progress = System.nanoTime();
            } else if (System.nanoTime() - progress > PATIENCE_NANOS) {
                throw new DrillException("reading stopped with " + left + " records to go");
            }
        }
        return bytes;
    }
}
