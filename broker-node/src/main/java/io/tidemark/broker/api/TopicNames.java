package io.tidemark.broker.api;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/** Resolves the partition a request names, by topic name or by topic id, in one image. */
record TopicNames(ClusterImage image) {
    private static final Uuid NO_ID = Uuid.ZERO_UUID;

    /** The topic, or null. Requests that know ids leave the name empty, the others leave the id zero. */
    TopicState topic(String name, Uuid id) {
        if (id != null && !id.equals(NO_ID)) {
            return image.topic(ClusterView.topicId(id));
        }
        return name == null || name.isEmpty() ? null : image.topic(name);
    }

    /** The error of a topic that {@link #topic} does not find. */
    static Errors unknown(Uuid id) {
        return id != null && !id.equals(NO_ID) ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    /**
     * The same of a topic that was named. A broker that has just started and heard of no metadata yet knows of none, which
     * is not to say that there is none: it leads nothing. Some clients give up on the other answer.
     */
    static Errors unknown(ClusterImage image) {
        return image.index() < 0 ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    /** The error of a partition of that topic which is not hosted here (R4.1). */
    static Errors notHosted(TopicState topic, int partition) {
        return topic.partition(partition) == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NOT_LEADER_OR_FOLLOWER;
    }

    static PartitionId partition(TopicState topic, int partition) {
        return new PartitionId(topic.id(), partition);
    }
}
