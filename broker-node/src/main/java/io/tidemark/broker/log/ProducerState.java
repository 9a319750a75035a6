package io.tidemark.broker.log;

import java.util.ArrayList;
import java.util.List;

/**
 * What is remembered of one producer id: its epoch, its newest batches of that epoch (at most five, oldest first), the
 * largest timestamp (ms) of its last batch, and where its open transaction began (-1 if none). Immutable.
 */
public record ProducerState(short epoch, List<Batch> batches, long lastTimestamp, long openTransactionStart) {
    /** R5.30. */
    static final int WINDOW = 5;

    static final ProducerState UNKNOWN = new ProducerState((short) -1, List.of(), -1, -1);

    public ProducerState {
        batches = List.copyOf(batches);
    }

    /** One remembered batch. */
    public record Batch(int firstSequence, int lastSequence, long firstOffset, long lastOffset, long timestamp) {}

    /** The last sequence number of this epoch, or -1 if it has written no data. */
    public int lastSequence() {
        return batches.isEmpty() ? -1 : batches.get(batches.size() - 1).lastSequence();
    }

    /** The state after {@code header} was appended; never refuses (R5.34). */
    ProducerState after(BatchHeader header) {
        boolean newEpoch = header.producerEpoch() != epoch;
        List<Batch> kept = newEpoch ? List.of() : batches;
        if (header.isControl()) {
            return new ProducerState(header.producerEpoch(), kept, header.maxTimestamp(), -1);
        }
        List<Batch> next = new ArrayList<>(WINDOW);
        next.addAll(kept.size() == WINDOW ? kept.subList(1, WINDOW) : kept);
        next.add(new Batch(
                header.baseSequence(),
                header.lastSequence(),
                header.baseOffset(),
                header.lastOffset(),
                header.maxTimestamp()));
        long open = header.isTransactional() && openTransactionStart < 0 ? header.baseOffset() : openTransactionStart;
        return new ProducerState(header.producerEpoch(), next, header.maxTimestamp(), open);
    }
}
