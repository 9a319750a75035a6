package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.ReadRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** An unmodified consumer, of a group or with partitions assigned to it, that notes all it is given. */
final class WatchedConsumer {
    private static final long COMMIT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final KafkaConsumer<String, String> consumer;
    private final boolean commits;
    private final Thread thread;
    private final Map<TopicPartition, List<ReadRecord>> reads = new HashMap<>();
    private volatile boolean stopping;
    private volatile String failure;

    private WatchedConsumer(Map<String, Object> settings, boolean commits, String name) {
        this.consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        this.commits = commits;
        this.thread = new Thread(this::read, name);
        thread.setDaemon(true);
    }

    static WatchedConsumer assigned(String bootstrap, String name, List<TopicPartition> partitions) {
        WatchedConsumer consumer = new WatchedConsumer(settings(bootstrap, name), false, name);
        consumer.consumer.assign(partitions);
        return consumer;
    }

    /** @param group its id */
    static WatchedConsumer member(String bootstrap, String group, String name, List<String> topics) {
        Map<String, Object> settings = settings(bootstrap, name);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
        settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_000);
        WatchedConsumer consumer = new WatchedConsumer(settings, true, name);
        consumer.consumer.subscribe(topics);
        return consumer;
    }

    private static Map<String, Object> settings(String bootstrap, String name) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, name);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 2_000);
        settings.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 5_000);
        settings.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, 20L);
        settings.put(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 100L);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG, 20L);
        settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 100L);
        return settings;
    }

    void start() {
        thread.start();
    }

    /** Ends the thread; what it was given stays. */
    void stop() {
        stopping = true;
        consumer.wakeup();
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What ended it before its time, or null. */
    String failure() {
        return failure;
    }

    List<ReadRecord> reads(TopicPartition partition) {
        synchronized (reads) {
            return List.copyOf(reads.getOrDefault(partition, List.of()));
        }
    }

    private void read() {
        long committed = System.nanoTime();
        try {
            while (!stopping) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    note(record);
                }
                if (commits && System.nanoTime() - committed > COMMIT_EVERY_NANOS) {
                    committed = System.nanoTime();
                    // Of what was noted: what is not committed comes again.
                    consumer.commitAsync();
                }
            }
        } catch (KafkaException e) {
            if (!stopping) {
                failure = e.toString();
            }
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(2)));
        }
    }

    private void note(ConsumerRecord<String, String> record) {
        synchronized (reads) {
            reads.computeIfAbsent(new TopicPartition(record.topic(), record.partition()), key -> new ArrayList<>())
                    .add(new ReadRecord(record.offset(), Long.parseLong(record.key())));
        }
    }
}
