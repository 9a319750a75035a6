package io.tidemark.broker.group;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

/**
 * What a coordinator needs to know of the cluster, in Kafka's own image: topics, their partitions, and the racks of the
 * replicas. Leaders, ISRs and everything else that moves often are left out, for each change makes groups look at their
 * subscriptions again. Not thread-safe.
 */
final class GroupMetadata {
    private ClusterImage reflected = ClusterImage.EMPTY;
    private MetadataImage image = MetadataImage.EMPTY;

    MetadataImage image() {
        return image;
    }

    /** Brings {@link #image} up to {@code newer}; returns what changed, or null if nothing did that matters here. */
    MetadataDelta advance(ClusterImage newer) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        boolean changed = brokers(newer, delta) | topics(newer, delta);
        reflected = newer;
        if (!changed) {
            return null;
        }
        image = delta.apply(new MetadataProvenance(newer.index(), 0, newer.timestampMs(), true));
        return delta;
    }

    private boolean brokers(ClusterImage newer, MetadataDelta delta) {
        boolean changed = false;
        for (BrokerState broker : newer.brokers().values()) {
            BrokerState before = reflected.broker(broker.id());
            if (before == null || !before.rack().equals(broker.rack())) {
                delta.replay(new RegisterBrokerRecord()
                        .setBrokerId(broker.id())
                        .setBrokerEpoch(broker.epoch())
                        .setRack(broker.rack().isEmpty() ? null : broker.rack())
                        .setFenced(false));
                changed = true;
            }
        }
        for (BrokerState broker : reflected.brokers().values()) {
            if (newer.broker(broker.id()) == null) {
                delta.replay(new UnregisterBrokerRecord()
                        .setBrokerId(broker.id())
                        .setBrokerEpoch(image.cluster().broker(broker.id()).epoch()));
                changed = true;
            }
        }
        return changed;
    }

    private boolean topics(ClusterImage newer, MetadataDelta delta) {
        boolean changed = false;
        for (TopicState topic : reflected.topics().values()) {
            if (newer.topic(topic.id()) == null) {
                delta.replay(new RemoveTopicRecord().setTopicId(uuid(topic.id())));
                changed = true;
            }
        }
        for (TopicState topic : newer.topics().values()) {
            TopicState before = reflected.topic(topic.id());
            if (before != topic) {
                if (before == null) {
                    delta.replay(new TopicRecord().setName(topic.name()).setTopicId(uuid(topic.id())));
                    changed = true;
                }
                changed |= partitions(before, topic, delta);
            }
        }
        return changed;
    }

    private static boolean partitions(TopicState before, TopicState topic, MetadataDelta delta) {
        boolean changed = false;
        for (PartitionState partition : topic.partitions()) {
            PartitionState old =
                    before == null ? null : before.partition(partition.id().partition());
            if (old == null || !old.replicas().equals(partition.replicas())) {
                delta.replay(record(partition));
                changed = true;
            }
        }
        return changed;
    }

    private static PartitionRecord record(PartitionState partition) {
        PartitionId id = partition.id();
        return new PartitionRecord()
                .setTopicId(uuid(id.topicId()))
                .setPartitionId(id.partition())
                .setReplicas(partition.replicas())
                .setIsr(partition.replicas())
                .setLeader(partition.replicas().get(0));
    }

    private static Uuid uuid(TopicId id) {
        return new Uuid(id.high(), id.low());
    }
}
