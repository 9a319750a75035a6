package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Time to the ack at a steady 1,000 records a second of 1000 B, from the time a record was due and not from when it was
 * sent: a stall counts for every record that it held up.
 */
final class Latency {
    private static final long INTERVAL_NANOS = 1_000_000;
    private static final int RECORD_SIZE = 1000;
    /** Parking wakes up late by about this much; the rest is spun away. */
    private static final long SPIN_NANOS = 100_000;

    private final String bootstrap;

    Latency(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Latencies in ms, sorted. */
    double[] run(String topic, int warmUpSeconds, int seconds) {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.LINGER_MS_CONFIG,
                0);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            send(producer, topic, warmUpSeconds * 1000);
            return send(producer, topic, seconds * 1000);
        }
    }

    /** @param sorted not empty */
    static double percentile(double[] sorted, double percent) {
        return sorted[Math.min(sorted.length - 1, (int) Math.ceil(sorted.length * percent / 100) - 1)];
    }

    private static double[] send(KafkaProducer<byte[], byte[]> producer, String topic, int records) {
        double[] latencies = new double[records];
        byte[] value = new byte[RECORD_SIZE];
        AtomicReference<Exception> failure = new AtomicReference<>();
        long start = System.nanoTime();
        for (int i = 0; i < records; i++) {
            int number = i;
            long due = start + i * INTERVAL_NANOS;
            awaitTime(due);
            producer.send(new ProducerRecord<>(topic, value), (metadata, exception) -> {
                latencies[number] = (System.nanoTime() - due) / 1e6;
                if (exception != null) {
                    failure.compareAndSet(null, exception);
                }
            });
        }
        // Also makes the callbacks' writes visible here.
        producer.flush();
        if (failure.get() != null) {
            throw new DrillException("a record was not acked: " + failure.get(), failure.get());
        }
        Arrays.sort(latencies);
        return latencies;
    }

    private static void awaitTime(long due) {
        long left = due - System.nanoTime();
        if (left > SPIN_NANOS) {
            LockSupport.parkNanos(left - SPIN_NANOS);
        }
        while (System.nanoTime() < due) {
            Thread.onSpinWait();
        }
    }
}
