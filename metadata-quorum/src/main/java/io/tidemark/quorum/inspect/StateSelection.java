package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/**
 * The part of a state that somebody wants to see: all of it, one topic or partition, or one broker with its partitions.
 *
 * @param topic name, null for all; {@code partition} and {@code broker} -1 for all
 */
record StateSelection(String topic, int partition, int broker) {
    List<BrokerState> brokers(ClusterImage image) {
        return image.brokers().values().stream()
                .filter(state -> topic == null && (broker < 0 || state.id() == broker))
                .sorted(Comparator.comparingInt(BrokerState::id))
                .toList();
    }

    /** Partitions under their topics' names, in order. */
    List<ClusterStatus.Partition> partitions(ClusterImage image) {
        if (broker >= 0) {
            return StreamSupport.stream(image.partitionsOf(broker).spliterator(), false)
                    .map(id -> new ClusterStatus.Partition(
                            image.topic(id.topicId()).name(), image.partition(id)))
                    .sorted(Comparator.comparing(ClusterStatus.Partition::topic)
                            .thenComparing(row -> row.state().id().partition()))
                    .toList();
        }
        return image.topics().values().stream()
                .filter(state -> topic == null || state.name().equals(topic))
                .sorted(Comparator.comparing(TopicState::name))
                .flatMap(state -> state.partitions().stream()
                        .filter(row -> partition < 0 || row.id().partition() == partition)
                        .map(row -> new ClusterStatus.Partition(state.name(), row)))
                .toList();
    }

    /** Values by resource, as "TOPIC orders". */
    Map<String, Map<String, String>> configs(ClusterImage image) {
        Map<String, Map<String, String>> configs = new TreeMap<>();
        for (ConfigResource resource : image.configs().keySet()) {
            if (wanted(resource)) {
                configs.put(nameOf(resource), new TreeMap<>(image.configs(resource)));
            }
        }
        return configs;
    }

    private boolean wanted(ConfigResource resource) {
        if (topic != null) {
            return partition < 0 && resource.equals(ConfigResource.topic(topic));
        }
        return broker < 0 || resource.equals(ConfigResource.broker(broker));
    }

    static String nameOf(ConfigResource resource) {
        return resource.equals(ConfigResource.CLUSTER_DEFAULT) ? "CLUSTER" : resource.type() + " " + resource.name();
    }

    /** Why there is nothing to show, or null if there is something. */
    String missing(ClusterImage image) {
        if (broker >= 0 && image.broker(broker) == null) {
            return "broker " + broker + " is not registered there";
        }
        if (topic == null) {
            return null;
        }
        TopicState state = image.topic(topic);
        if (state == null) {
            return "there is no topic " + topic + " there";
        }
        PartitionState row = state.partition(partition);
        return partition >= 0 && row == null ? "topic " + topic + " has no partition " + partition + " there" : null;
    }
}
