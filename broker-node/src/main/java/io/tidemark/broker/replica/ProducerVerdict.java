package io.tidemark.broker.replica;

/** What the producer state says of a batch that a client sent (R5.30-R5.35). */
public sealed interface ProducerVerdict {
    ProducerVerdict FRESH = new Fresh();

    /** To be appended. */
    record Fresh() implements ProducerVerdict {}

    /** Appended before, at these offsets (R5.31). */
    record Duplicate(long firstOffset, long lastOffset, long timestampMs) implements ProducerVerdict {}

    /** Not to be appended (R5.32). */
    record Refused(ReplicaError error, String message) implements ProducerVerdict {}
}
