package io.tidemark.model.metadata;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the step from one image to the next means for one broker's partitions.
 *
 * @param changed partitions with this broker as a replica whose state is new or other than before
 * @param removed partitions that this broker no longer holds: deleted, or moved away
 * @param eligibility partitions this broker leads and whose own state is as before, but one of whose replicas was
 *     registered, fenced, unfenced or is shutting down (B14)
 * @param reconfigured partitions that this broker holds and whose own state is as before, but not what their topic or
 *     the cluster is configured to
 */
public record LocalChanges(
        List<PartitionState> changed,
        List<PartitionId> removed,
        List<PartitionState> eligibility,
        List<PartitionState> reconfigured) {

    /** Costs time in the number of topics, and in the partitions of the topics that differ. */
    public static LocalChanges between(ClusterImage before, ClusterImage after, int brokerId) {
        List<PartitionState> changed = new ArrayList<>();
        List<PartitionId> removed = new ArrayList<>();
        Set<PartitionId> touched = new HashSet<>();
        // Not their entry sets: those are built anew each time, in an order that depends on what a topic is now.
        for (Map.Entry<TopicId, TopicState> entry : after.topicMap()) {
            TopicState old = before.topic(entry.getKey());
            TopicState now = entry.getValue();
            if (old == now) {
                continue;
            }
            for (PartitionState state : now.partitions()) {
                PartitionState previous =
                        old == null ? null : old.partition(state.id().partition());
                if (previous == state) {
                    continue;
                }
                if (state.replicas().contains(brokerId)) {
                    changed.add(state);
                    touched.add(state.id());
                } else if (previous != null && previous.replicas().contains(brokerId)) {
                    removed.add(state.id());
                }
            }
        }
        for (Map.Entry<TopicId, TopicState> entry : before.topicMap()) {
            if (after.topic(entry.getKey()) == null) {
                for (PartitionState state : entry.getValue().partitions()) {
                    if (state.replicas().contains(brokerId)) {
                        removed.add(state.id());
                    }
                }
            }
        }
        List<PartitionState> reconfigured = configChanges(before, after, brokerId, touched);
        return new LocalChanges(changed, removed, eligibilityChanges(before, after, brokerId, touched), reconfigured);
    }

    private static List<PartitionState> configChanges(
            ClusterImage before, ClusterImage after, int brokerId, Set<PartitionId> touched) {
        if (before.configMap() == after.configMap()) {
            return List.of();
        }
        ConfigResource own = ConfigResource.broker(brokerId);
        Set<TopicId> topics = new HashSet<>();
        boolean all = false;
        for (Map.Entry<ConfigResource, ? extends Map<String, String>> config : after.configMap()) {
            ConfigResource resource = config.getKey();
            if (before.configMap().get(resource) == config.getValue()) {
                continue;
            }
            TopicState topic = resource.type() == ConfigResource.Type.TOPIC ? after.topic(resource.name()) : null;
            if (topic != null) {
                topics.add(topic.id());
            }
            all |= resource.equals(ConfigResource.CLUSTER_DEFAULT) || resource.equals(own);
        }
        List<PartitionState> result = new ArrayList<>();
        for (PartitionId id : after.partitionsOf(brokerId)) {
            if ((all || topics.contains(id.topicId())) && !touched.contains(id)) {
                result.add(after.partition(id));
            }
        }
        return result;
    }

    private static List<PartitionState> eligibilityChanges(
            ClusterImage before, ClusterImage after, int brokerId, Set<PartitionId> touched) {
        List<PartitionState> result = new ArrayList<>();
        if (before.brokerMap() == after.brokerMap()) {
            return result;
        }
        for (BrokerState broker : after.brokers().values()) {
            if (before.broker(broker.id()) == broker) {
                continue;
            }
            for (PartitionId id : after.partitionsOf(broker.id())) {
                PartitionState state = after.partition(id);
                if (state.leader() == brokerId && touched.add(id)) {
                    result.add(state);
                }
            }
        }
        return result;
    }
}
