package io.tidemark.broker.runtime;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.ReplicaError;
import java.nio.ByteBuffer;

/** One batch as a client sent it, before it has offsets. Its bytes stay valid until {@link #release}. */
public interface ClientBatch {
    /** The header as sent. */
    BatchHeader header();

    /**
     * Checks the records and returns the batch with offsets from {@code baseOffset} and that leader epoch: in place if
     * it can be, else rebuilt (R5.20-R5.23). Throws {@link RefusedException} if it must not be appended.
     */
    ByteBuffer validated(TopicSettings settings, long baseOffset, int leaderEpoch);

    /** The bytes are no longer needed here; called once, whatever becomes of the batch. */
    void release();

    /**
     * What became of it; called once, on the partition's loop.
     *
     * @param error of the replica, or NONE
     * @param baseOffset -1 on error
     * @param logStart -1 if unknown
     * @param cause set if the records were refused: carries the error for the client
     */
    void answered(ReplicaError error, long baseOffset, long logStart, String message, RefusedException cause);

    /** The records of a batch must not be appended; the cause says why in the terms of the protocol. */
    final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public RefusedException(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }
}
