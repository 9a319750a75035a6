package io.tidemark.model;

/** One partition of one incarnation of a topic; {@code partition} counts from 0. */
public record PartitionId(TopicId topicId, int partition) implements Comparable<PartitionId> {
    /** Written out for the reason given at {@link TopicId}. */
    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionId id && partition == id.partition && topicId.equals(id.topicId);
    }

    @Override
    public int hashCode() {
        return 31 * topicId.hashCode() + partition;
    }

    @Override
    public int compareTo(PartitionId other) {
        int byTopic = topicId.compareTo(other.topicId);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return topicId + "-" + partition;
    }
}
