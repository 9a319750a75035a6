package io.tidemark.broker.drill;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An unmodified Kafka producer (if not told otherwise: acks=all, idempotent) that writes numbered records to one
 * partition at a steady rate, on a thread of its own, and notes every acknowledgement in a ledger. The key of a record is its number.
 */
public final class SteadyWriter {
    private static final String FILLER = " of a steady stream".repeat(10);

    private final TopicPartition partition;
    private final AckLedger ledger;
    private final long intervalNanos;
    private final KafkaProducer<String, String> producer;
    private final Thread thread;
    private final long first;
    private final long count;
    private volatile boolean stopping;
    private volatile long sent;

    /** @param perSecond records a second, 1 or more */
    SteadyWriter(String bootstrap, TopicPartition partition, AckLedger ledger, int perSecond) {
        this(
                partition,
                ledger,
                perSecond,
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "quickstart-writer",
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        true,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        60_000));
    }

    /**
     * @param perSecond records a second, 1 or more
     * @param settings all of the producer's, serializers aside
     */
    public SteadyWriter(TopicPartition partition, AckLedger ledger, int perSecond, Map<String, Object> settings) {
        this(partition, ledger, perSecond, 0, Long.MAX_VALUE, settings);
    }

    /**
     * @param perSecond records a second, 1 or more
     * @param first number of the first record, for partitions with more than one writer
     * @param count ends by itself after so many
     * @param settings all of the producer's, serializers aside
     */
    public SteadyWriter(
            TopicPartition partition,
            AckLedger ledger,
            int perSecond,
            long first,
            long count,
            Map<String, Object> settings) {
        this.first = first;
        this.count = count;
        this.partition = partition;
        this.ledger = ledger;
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        this.thread = new Thread(this::write, "steady-writer");
    }

    /** Settings of a producer (acks=all, idempotent) that finds out soon that a broker is gone. */
    public static Map<String, Object> impatient(String bootstrap) {
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.LINGER_MS_CONFIG,
                0,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                1_000,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                60_000,
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
                20L,
                ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG,
                100L,
                ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG,
                20L,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                100L);
    }

    /** Begins to write. */
    public void start() {
        thread.start();
    }

    /** Records handed to the producer so far. */
    public long sentCount() {
        return sent;
    }

    /** Stops sending, and does not wait; {@link #finish} is still to be called. */
    public void stop() {
        stopping = true;
    }

    /** Stops sending and waits until every record sent was acknowledged or given up. */
    public void finish() {
        stopping = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        }
        producer.flush();
        ledger.stop(System.nanoTime());
        producer.close(Duration.ofSeconds(10));
    }

    /** Gives up without waiting; for a drill that failed. */
    public void abandon() {
        stopping = true;
        producer.close(Duration.ZERO);
    }

    private void write() {
        long due = System.nanoTime();
        long number = 0;
        while (!stopping && number < count) {
            // After a pause it does not hurry to make up for it: a steady rate, not a burst.
            due = Math.max(due + intervalNanos, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
            try {
                send(first + number);
            } catch (KafkaException e) {
                ledger.failed();
            }
            number++;
            sent = number;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    private void send(long number) {
        String key = Long.toString(number);
        producer.send(
                new ProducerRecord<>(partition.topic(), partition.partition(), key, "record " + key + FILLER),
                (metadata, exception) -> {
                    if (exception == null) {
                        long offset = metadata.hasOffset() ? metadata.offset() : AckLedger.UNKNOWN_OFFSET;
                        ledger.acked(number, offset, System.nanoTime());
                    } else {
                        ledger.failed();
                    }
                });
    }
}
