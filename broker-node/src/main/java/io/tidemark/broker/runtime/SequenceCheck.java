package io.tidemark.broker.runtime;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.log.ProducerStates;
import io.tidemark.broker.replica.ProducerVerdict;
import io.tidemark.broker.replica.ReplicaError;

/** What the log's memory of producers says of a batch, in the core's words (R5.30-R5.32). */
final class SequenceCheck {
    private SequenceCheck() {}

    static ProducerVerdict of(ProducerStates producers, BatchHeader header) {
        if (!header.hasProducerId()) {
            return ProducerVerdict.FRESH;
        }
        var found = producers.check(
                header.producerId(), header.producerEpoch(), header.baseSequence(), header.lastSequence());
        if (found instanceof io.tidemark.broker.log.ProducerVerdict.Duplicate duplicate) {
            return new ProducerVerdict.Duplicate(
                    duplicate.firstOffset(), duplicate.lastOffset(), duplicate.timestamp());
        } else if (found instanceof io.tidemark.broker.log.ProducerVerdict.OutOfOrderSequence order) {
            return new ProducerVerdict.Refused(
                    ReplicaError.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    "producer " + header.producerId() + ": expected sequence " + order.expected() + ", got "
                            + order.actual());
        } else if (found instanceof io.tidemark.broker.log.ProducerVerdict.InvalidEpoch epoch) {
            return new ProducerVerdict.Refused(
                    ReplicaError.INVALID_PRODUCER_EPOCH,
                    "producer " + header.producerId() + ": epoch " + epoch.actual() + " is older than "
                            + epoch.current());
        }
        return ProducerVerdict.FRESH;
    }
}
