package io.tidemark.broker.log;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * The producers that wrote idempotently to one log, so that a retried batch is recognised (R5.30-R5.35). Leader and
 * follower keep it alike from the batches they append; no clock, file or thread. Of transactions only the start of each
 * open one is kept.
 */
public final class ProducerStates {
    private static final byte VERSION = 1;
    private static final int BATCH_BYTES = 4 + 4 + 8 + 8 + 8;

    private final Map<Long, ProducerState> byId;

    public ProducerStates() {
        this(new HashMap<>());
    }

    private ProducerStates(Map<Long, ProducerState> byId) {
        this.byId = byId;
    }

    /** {@code sequence} advanced by {@code delta} (both not negative), wrapping from 2^31-1 to 0. */
    static int plus(int sequence, int delta) {
        return (int) (((long) sequence + delta) & Integer.MAX_VALUE);
    }

    public int size() {
        return byId.size();
    }

    /** Every producer id with what is remembered of it, in no order. */
    public void forEach(BiConsumer<Long, ProducerState> each) {
        byId.forEach(each);
    }

    /** The rules for a data batch of a client (R5.31, R5.32); replicated batches are appended without asking (R5.34). */
    public ProducerVerdict check(long producerId, short epoch, int firstSequence, int lastSequence) {
        ProducerState state = byId.get(producerId);
        if (state == null) {
            return new ProducerVerdict.Accept(false);
        }
        if (epoch < state.epoch()) {
            return new ProducerVerdict.InvalidEpoch(state.epoch(), epoch);
        }
        if (epoch > state.epoch()) {
            return firstSequence == 0
                    ? new ProducerVerdict.Accept(true)
                    : new ProducerVerdict.OutOfOrderSequence(0, firstSequence);
        }
        for (ProducerState.Batch batch : state.batches()) {
            if (batch.firstSequence() == firstSequence && batch.lastSequence() == lastSequence) {
                return new ProducerVerdict.Duplicate(batch.firstOffset(), batch.lastOffset(), batch.timestamp());
            }
        }
        // An epoch without data (a marker opened it) starts at 0, which is also -1 advanced by one.
        int expected = state.batches().isEmpty() ? 0 : plus(state.lastSequence(), 1);
        return firstSequence == expected
                ? new ProducerVerdict.Accept(true)
                : new ProducerVerdict.OutOfOrderSequence(expected, firstSequence);
    }

    /** Takes in an appended batch, on leader and follower alike. */
    public void append(BatchHeader header) {
        if (header.hasProducerId()) {
            ProducerState known = byId.getOrDefault(header.producerId(), ProducerState.UNKNOWN);
            byId.put(header.producerId(), known.after(header));
        }
    }

    /** R5.35: forgets producers silent for {@code expirationMs} or longer, except those with an open transaction. */
    public void expire(long nowMs, long expirationMs) {
        byId.values()
                .removeIf(state -> state.openTransactionStart() < 0 && nowMs - state.lastTimestamp() >= expirationMs);
    }

    /** The first offset of the oldest open transaction, if there is one (part of R1.3). */
    public OptionalLong oldestOpenTransaction() {
        return byId.values().stream()
                .mapToLong(ProducerState::openTransactionStart)
                .filter(start -> start >= 0)
                .min();
    }

    /** An independent copy; cheap, since the states themselves are shared and immutable. */
    public ProducerStates copy() {
        return new ProducerStates(new HashMap<>(byId));
    }

    /** The form kept in the index; see FORMAT.md. */
    public byte[] toBytes() {
        int size = 1 + 4;
        for (ProducerState state : byId.values()) {
            size += 8 + 2 + 8 + 8 + 1 + state.batches().size() * BATCH_BYTES;
        }
        ByteBuffer out = ByteBuffer.allocate(size).put(VERSION).putInt(byId.size());
        byId.forEach((id, state) -> {
            out.putLong(id).putShort(state.epoch()).putLong(state.lastTimestamp());
            out.putLong(state.openTransactionStart());
            out.put((byte) state.batches().size());
            for (ProducerState.Batch batch : state.batches()) {
                out.putInt(batch.firstSequence()).putInt(batch.lastSequence());
                out.putLong(batch.firstOffset()).putLong(batch.lastOffset()).putLong(batch.timestamp());
            }
        });
        return out.array();
    }

    /** Reads {@link #toBytes}; empty if the bytes are not of that form, since they can be rebuilt. */
    public static Optional<ProducerStates> fromBytes(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            if (in.get() != VERSION) {
                return Optional.empty();
            }
            int producers = in.getInt();
            Map<Long, ProducerState> byId = new HashMap<>();
            for (int i = 0; i < producers; i++) {
                long id = in.getLong();
                short epoch = in.getShort();
                long lastTimestamp = in.getLong();
                long open = in.getLong();
                int count = in.get();
                if (count < 0 || count > ProducerState.WINDOW) {
                    return Optional.empty();
                }
                List<ProducerState.Batch> batches = new ArrayList<>();
                for (int b = 0; b < count; b++) {
                    batches.add(new ProducerState.Batch(
                            in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong()));
                }
                byId.put(id, new ProducerState(epoch, batches, lastTimestamp, open));
            }
            return in.hasRemaining() ? Optional.empty() : Optional.of(new ProducerStates(byId));
        } catch (BufferUnderflowException e) {
            return Optional.empty();
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ProducerStates states && states.byId.equals(byId);
    }

    @Override
    public int hashCode() {
        return byId.hashCode();
    }

    @Override
    public String toString() {
        return byId.toString();
    }
}
