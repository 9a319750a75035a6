package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** As many records as one producer and the cluster can do, warmed up first; bytes are those of record values. */
final class Throughput {
    private final String bootstrap;
    private final Servers servers;

    Throughput(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /**
     * @param recordsPerSecond acked
     * @param megabytesPerSecond acked, 1e6 bytes
     * @param cpuSecondsPerGb of all servers per 1e9 bytes acked
     */
    record Outcome(double recordsPerSecond, double megabytesPerSecond, double cpuSecondsPerGb) {}

    static Map<String, Object> settings(String bootstrap) {
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.BATCH_SIZE_CONFIG,
                65536,
                ProducerConfig.LINGER_MS_CONFIG,
                5);
    }

    /** Both amounts in bytes; throws DrillException if a record is not acked. */
    Outcome run(String topic, int recordSize, long warmUp, long measured) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            write(producer, topic, recordSize, warmUp);
            double cpuBefore = servers.cpuSeconds();
            long start = System.nanoTime();
            long records = write(producer, topic, recordSize, measured);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpu = servers.cpuSeconds() - cpuBefore;
            double bytes = (double) records * recordSize;
            return new Outcome(records / seconds, bytes / 1e6 / seconds, cpu / (bytes / 1e9));
        }
    }

    /** Returns the number of records, all acked. */
    static long write(KafkaProducer<byte[], byte[]> producer, String topic, int recordSize, long bytes) {
        byte[] value = new byte[recordSize];
        new Random(recordSize).nextBytes(value);
        AtomicReference<Exception> failure = new AtomicReference<>();
        long records = bytes / recordSize;
        for (long i = 0; i < records && failure.get() == null; i++) {
            producer.send(new ProducerRecord<>(topic, value), (metadata, exception) -> {
                if (exception != null) {
                    failure.compareAndSet(null, exception);
                }
            });
        }
        producer.flush();
        if (failure.get() != null) {
            throw new DrillException("a record was not acked: " + failure.get(), failure.get());
        }
        return records;
    }
}
