package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What each broker by itself says of the leaders and replicas of topics. A broker that hears no controller goes on to tell
 * what it last knew, and whichever broker a client happens to ask may be that one.
 */
final class EachBroker {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private EachBroker() {}

    /**
     * Whether every broker answers and says the same: all replicas in sync, and the same leaders.
     *
     * @param bootstrap host:port of every broker, separated by commas
     */
    static boolean tellsFullIsr(String bootstrap, Collection<String> topics) {
        Map<TopicPartition, Integer> leaders = new HashMap<>();
        for (String broker : bootstrap.split(",")) {
            for (PartitionInfo partition : told(broker, topics)) {
                int leader =
                        partition.leader() == null ? -1 : partition.leader().id();
                Integer other =
                        leaders.putIfAbsent(new TopicPartition(partition.topic(), partition.partition()), leader);
                if (leader < 0
                        || other != null && other != leader
                        || partition.inSyncReplicas().length < partition.replicas().length) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A client's first question goes to the only broker it knows. Throws DrillException if there is no whole answer. */
    private static List<PartitionInfo> told(String broker, Collection<String> topics) {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker,
                ConsumerConfig.CLIENT_ID_CONFIG,
                "drill-each-broker",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false);
        try (KafkaConsumer<byte[], byte[]> client =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            Map<String, List<PartitionInfo>> all = client.listTopics(LIMIT);
            if (!all.keySet().containsAll(topics)) {
                throw new DrillException("broker " + broker + " does not know all of " + topics);
            }
            return topics.stream().flatMap(topic -> all.get(topic).stream()).toList();
        } catch (KafkaException e) {
            throw new DrillException("broker " + broker + " does not answer: " + e.getMessage(), e);
        }
    }
}
