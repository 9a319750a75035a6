package io.tidemark.broker.log;

/** What the producer rules say about a batch that a client wants to append (R5.30-R5.32). */
public sealed interface ProducerVerdict {
    /** The batch continues what is known, or nothing is known of its producer. */
    record Accept(boolean producerKnown) implements ProducerVerdict {}

    /** R5.31: it is in the log already, with these offsets and this largest timestamp (ms). */
    record Duplicate(long firstOffset, long lastOffset, long timestamp) implements ProducerVerdict {}

    /** R5.32: it neither continues the producer's sequence nor starts a new epoch at 0. */
    record OutOfOrderSequence(int expected, int actual) implements ProducerVerdict {}

    /** R5.32: a newer incarnation of the producer has written. */
    record InvalidEpoch(short current, short actual) implements ProducerVerdict {}
}
