package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.Answers;
import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.plan.ClusterPlan.TopicPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What a drill asks of a cluster through Kafka's admin client. Throws DrillException where no answer comes. */
final class Admins implements AutoCloseable {
    private static final int LIMIT_S = 60;

    private final Admin admin;
    private volatile Runnable check = () -> {};

    Admins(String bootstrap) {
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "drill",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                1_000,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                4_000,
                AdminClientConfig.RETRY_BACKOFF_MS_CONFIG,
                20L,
                AdminClientConfig.RETRY_BACKOFF_MAX_MS_CONFIG,
                100L,
                AdminClientConfig.RECONNECT_BACKOFF_MS_CONFIG,
                20L,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                100L));
    }

    /** @param check done before each attempt where something is tried until it works; throws to end that */
    void lookWhileWaiting(Runnable check) {
        this.check = check;
    }

    /** For those who try again themselves. */
    void check() {
        check.run();
    }

    void awaitBrokers(int count) {
        Waiting.until(count + " brokers", LIMIT_S, () -> {
            try {
                return get(admin.describeCluster().nodes()).size() == count;
            } catch (DrillException e) {
                return false;
            }
        });
    }

    int brokerCount() {
        return get(admin.describeCluster().nodes()).size();
    }

    String clusterId() {
        return get(admin.describeCluster().clusterId());
    }

    /** Throws DrillException if there is a topic of one of these names. */
    void refuseExisting(Collection<String> topics) {
        Set<String> there = new TreeSet<>(
                get(admin.listTopics(new ListTopicsOptions().listInternal(true)).names()));
        there.retainAll(topics);
        if (!there.isEmpty()) {
            throw new DrillException(
                    "topic " + String.join(", ", there) + " is there already: this drill did not make it");
        }
    }

    /**
     * Makes a topic that is not there, as far as anybody knows.
     *
     * @param made takes its name before it can be there, and loses it again if it turns out to be somebody else's
     * @param own whether a topic of that name can only be this drill's
     */
    void create(TopicPlan topic, boolean own, Set<String> made) {
        Map<Integer, List<Integer>> assignment = new HashMap<>();
        for (int partition = 0; partition < topic.assignment().size(); partition++) {
            assignment.put(partition, topic.assignment().get(partition));
        }
        boolean[] unheard = {own};
        made.add(topic.name());
        Waiting.until("topic " + topic.name() + " to be created", LIMIT_S, () -> {
            check();
            try {
                get(admin.createTopics(List.of(new NewTopic(topic.name(), assignment).configs(topic.configs())))
                        .all());
                return true;
            } catch (DrillException e) {
                if (failure(e) instanceof TopicExistsException) {
                    if (unheard[0]) {
                        return true;
                    }
                    made.remove(topic.name());
                    throw new DrillException(
                            "topic " + topic.name() + " is there already: this drill did not make it", e);
                }
                if (failure(e) instanceof InvalidConfigurationException) {
                    // It is not there, and never will be.
                    made.remove(topic.name());
                    throw new DrillException(
                            "topic " + topic.name() + " is refused: "
                                    + failure(e).getMessage(),
                            e);
                }
                // It may have been made all the same.
                unheard[0] |= failure(e) instanceof TimeoutException || failure(e) instanceof DisconnectException;
                return false;
            }
        });
    }

    /** What is not there is deleted already. */
    void delete(Collection<String> topics) {
        for (String topic : topics) {
            insist("delete topic " + topic, () -> {
                try {
                    get(admin.deleteTopics(List.of(topic)).all());
                } catch (DrillException e) {
                    if (!(failure(e) instanceof UnknownTopicOrPartitionException)) {
                        throw e;
                    }
                }
            });
        }
    }

    /** With what they have committed; waits for members that are just leaving. */
    void deleteGroups(Collection<String> groups) {
        for (String group : groups) {
            Waiting.until("delete group " + group, LIMIT_S, () -> {
                try {
                    get(admin.deleteConsumerGroups(List.of(group)).all());
                    return true;
                } catch (DrillException e) {
                    if (failure(e) instanceof RetriableException || failure(e) instanceof GroupNotEmptyException) {
                        return false;
                    }
                    if (failure(e) instanceof GroupIdNotFoundException) {
                        return true;
                    }
                    throw e;
                }
            });
        }
    }

    /** What the cluster answered instead; null if it did not. */
    private static Throwable failure(DrillException e) {
        return e.getCause() instanceof ExecutionException failed ? failed.getCause() : null;
    }

    /** Partitions of these topics, or of all, internal ones too, if there are none given. */
    Map<TopicPartition, PartitionView> look(Collection<String> topics) {
        Collection<String> names = topics;
        if (topics.isEmpty()) {
            names = get(
                    admin.listTopics(new ListTopicsOptions().listInternal(true)).names());
        }
        return describe(names, new DescribeTopicsOptions());
    }

    /** The same, asked again for half a minute: brokers that stand still may be asked first. */
    Map<TopicPartition, PartitionView> insistOnLook(Collection<String> topics) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S / 2);
        while (true) {
            check();
            try {
                return look(topics);
            } catch (DrillException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
            }
        }
    }

    /** The same of some topics, for which nobody waits: DrillException after a second. */
    Map<TopicPartition, PartitionView> glance(Collection<String> topics) {
        return describe(topics, new DescribeTopicsOptions().timeoutMs(1_000));
    }

    private Map<TopicPartition, PartitionView> describe(Collection<String> names, DescribeTopicsOptions options) {
        Map<TopicPartition, PartitionView> views =
                new TreeMap<>((a, b) -> a.topic().equals(b.topic())
                        ? a.partition() - b.partition()
                        : a.topic().compareTo(b.topic()));
        get(admin.describeTopics(names, options).allTopicNames()).forEach((name, description) -> {
            for (TopicPartitionInfo info : description.partitions()) {
                views.put(new TopicPartition(name, info.partition()), PartitionView.of(info, OptionalInt.empty()));
            }
        });
        return views;
    }

    PartitionView look(TopicPartition partition) {
        return look(List.of(partition.topic())).get(partition);
    }

    /** As far as anybody can tell them: high watermarks of partitions with a leader. */
    Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, OffsetSpec.latest()));
        var answer = admin.listOffsets(asked);
        Map<TopicPartition, Long> marks = new HashMap<>();
        for (TopicPartition partition : partitions) {
            try {
                marks.put(partition, get(answer.partitionResult(partition)).offset());
            } catch (DrillException e) {
                // Nobody leads it just now.
                continue;
            }
        }
        return marks;
    }

    int actingController() {
        return get(admin.describeMetadataQuorum().quorumInfo()).leaderId();
    }

    void configure(String topic, Map<String, String> settings) {
        List<AlterConfigOp> changes = new ArrayList<>();
        settings.forEach(
                (key, value) -> changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        insist(
                "configure " + topic,
                () -> get(admin.incrementalAlterConfigs(
                                Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), changes))
                        .all()));
    }

    void reassign(TopicPartition partition, List<Integer> replicas) {
        insist(
                "reassign " + partition,
                () -> get(admin.alterPartitionReassignments(
                                Map.of(partition, Optional.of(new NewPartitionReassignment(replicas))))
                        .all()));
    }

    boolean moves(TopicPartition partition) {
        return get(admin.listPartitionReassignments(Set.of(partition)).reassignments())
                .containsKey(partition);
    }

    void elect(TopicPartition partition, ElectionType type) {
        insist("elect " + partition, () -> {
            Map<TopicPartition, Optional<Throwable>> answer =
                    get(admin.electLeaders(type, Set.of(partition)).partitions());
            answer.getOrDefault(partition, Optional.empty())
                    .filter(failure -> !(failure instanceof ElectionNotNeededException))
                    .ifPresent(failure -> {
                        throw new DrillException("no election of " + partition + ": " + failure.getMessage(), failure);
                    });
        });
    }

    /** Asks again where nobody answered, as a paused broker does not: what was asked for may be done twice. */
    private void insist(String what, Runnable request) {
        Waiting.until(what, LIMIT_S, () -> {
            check();
            try {
                request.run();
                return true;
            } catch (DrillException e) {
                if (failure(e) instanceof RetriableException) {
                    return false;
                }
                throw e;
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
