package io.tidemark.broker.group;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.runtime.ClientBatch;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.Check;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One batch that a coordinator writes: its own copy of the bytes, since the coordinator builds its next batch in the same
 * buffer. Until the partition takes it, it can be withdrawn.
 */
final class CoordinatorBatch implements ClientBatch {
    private enum Stage {
        WAITING,
        TAKEN,
        WITHDRAWN
    }

    private final ByteBuffer bytes;
    private final BatchHeader header;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private final CompletableFuture<Long> end = new CompletableFuture<>();

    private CoordinatorBatch(ByteBuffer bytes, BatchHeader header) {
        this.bytes = bytes;
        this.header = header;
    }

    static CoordinatorBatch copyOf(MemoryRecords records) {
        ByteBuffer source = records.buffer();
        ByteBuffer copy = ByteBuffer.allocate(source.remaining()).put(source).flip();
        BatchHeader header = BatchHeader.read(copy, 0);
        Check.that(header.sizeInBytes() == copy.remaining(), "a coordinator writes one batch at a time");
        return new CoordinatorBatch(copy, header);
    }

    /** The end of the log right behind this batch once it is written; fails with the error of the protocol. */
    CompletableFuture<Long> end() {
        return end;
    }

    /** False if the partition has taken it already, so that it may be written still. */
    boolean withdraw() {
        return stage.compareAndSet(Stage.WAITING, Stage.WITHDRAWN);
    }

    @Override
    public BatchHeader header() {
        return header;
    }

    @Override
    public ByteBuffer validated(TopicSettings settings, long baseOffset, int leaderEpoch) {
        if (header.sizeInBytes() > settings.log().maxMessageBytes()) {
            throw new RefusedException(new RecordTooLargeException("a batch of " + header.sizeInBytes()
                    + " bytes is larger than the " + settings.log().maxMessageBytes() + " allowed"));
        }
        if (!stage.compareAndSet(Stage.WAITING, Stage.TAKEN)) {
            throw new RefusedException(new TimeoutException("the coordinator waits no longer"));
        }
        BatchHeader.assign(bytes, 0, baseOffset, leaderEpoch);
        return bytes;
    }

    @Override
    public void release() {
        // The copy belongs to nobody else.
    }

    @Override
    public void answered(ReplicaError error, long baseOffset, long logStart, String message, RefusedException cause) {
        if (cause != null) {
            end.completeExceptionally(cause.getCause());
        } else if (error != ReplicaError.NONE) {
            end.completeExceptionally(exception(error, message));
        } else {
            end.complete(baseOffset + header.lastOffsetDelta() + 1);
        }
    }

    /** The replica's errors have the names of the protocol's. */
    static ApiException exception(ReplicaError error, String message) {
        return error == ReplicaError.OTHER
                ? Errors.UNKNOWN_SERVER_ERROR.exception(message)
                : Errors.valueOf(error.name()).exception(message);
    }
}
