package io.tidemark.broker.replica;

/** What a replica answers, under the names of the Kafka protocol. */
public enum ReplicaError {
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    FENCED_LEADER_EPOCH,
    UNKNOWN_LEADER_EPOCH,
    OFFSET_OUT_OF_RANGE,
    OFFSET_NOT_AVAILABLE,
    NOT_ENOUGH_REPLICAS,
    NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    REQUEST_TIMED_OUT,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    INVALID_PRODUCER_EPOCH,
    UNKNOWN_TOPIC_OR_PARTITION,
    UNKNOWN_TOPIC_ID,
    INCONSISTENT_TOPIC_ID,
    KAFKA_STORAGE_ERROR,
    POLICY_VIOLATION,
    /** Any other answer of a leader; it is not told apart. */
    OTHER
}
