package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.Answers;
import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Waiting;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;

/** Creates topics and looks at them, with Kafka's admin client. */
final class Topics implements AutoCloseable {
    private static final int BROKERS = 3;

    private final Admin admin;

    /** A client that gives up on a broker fast, for clusters with a broken one. */
    Topics(String bootstrap) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                1_000,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                60_000,
                AdminClientConfig.RETRY_BACKOFF_MS_CONFIG,
                20L,
                AdminClientConfig.RETRY_BACKOFF_MAX_MS_CONFIG,
                100L,
                AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
                20L,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                100L));
    }

    /**
     * Creates a topic, or finds it: a request whose outcome is not known is sent again, and may have done its work.
     * Throws DrillException after 60 s.
     */
    void create(String topic, int partitions, int replicas, Map<String, String> configs) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!isCreated(new NewTopic(topic, partitions, (short) replicas).configs(configs))) {
            if (System.nanoTime() > deadline) {
                throw new DrillException("topic " + topic + " was not created in 60 s");
            }
        }
    }

    private boolean isCreated(NewTopic topic) {
        try {
            admin.createTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return true;
            }
            if (e.getCause() instanceof RetriableException) {
                return false;
            }
            throw new DrillException("topic " + topic + " cannot be created: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** A topic with 3 replicas, min.insync.replicas 2, all in sync. */
    void createReplicated(String topic, int partitions) {
        awaitBrokers();
        create(topic, partitions, BROKERS, Map.of("min.insync.replicas", "2"));
        await(
                topic,
                "all replicas in sync",
                60,
                info -> info.leader() != null
                        && !info.leader().isEmpty()
                        && info.isr().size() == info.replicas().size());
    }

    /** Three brokers have to be known, or a topic with three replicas is refused. */
    void awaitBrokers() {
        Waiting.until("three brokers", 90, () -> {
            try {
                return get(admin.describeCluster().nodes()).size() == BROKERS;
            } catch (DrillException e) {
                return false;
            }
        });
    }

    /** Waits until all partitions of the topic are as wanted. */
    void await(String topic, String what, int seconds, Predicate<TopicPartitionInfo> wanted) {
        Waiting.until(what + " in topic " + topic, seconds, () -> {
            try {
                return get(admin.describeTopics(List.of(topic))
                                .topicNameValues()
                                .get(topic))
                        .partitions()
                        .stream()
                        .allMatch(wanted);
            } catch (DrillException e) {
                // A broker that is just going away; asked again.
                return false;
            }
        });
    }

    @Override
    public void close() {
        admin.close();
    }

    private static <T> T get(KafkaFuture<T> future) {
        return Answers.within(10, future);
    }
}
