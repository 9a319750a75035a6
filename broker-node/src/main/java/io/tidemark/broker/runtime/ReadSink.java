package io.tidemark.broker.runtime;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.replica.ReplicaError;

/** Where the outcome of one read goes: exactly one call, on the partition's loop. */
public interface ReadSink {
    /**
     * @param slice whole batches, to be released by the receiver; null if there is nothing to read now
     * @param more whether readable records are left behind what was returned
     */
    void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart);

    void diverges(int epoch, long endOffset, long highWatermark, long logStart);

    /** That replica is nearer to the reader, who is to ask it (R4.40). Only consumers that say where they stand hear it. */
    default void elsewhere(int replica, long highWatermark, long logStart) {
        throw new IllegalStateException("this reader does not say where it stands");
    }

    void refused(ReplicaError error, long highWatermark, long logStart);
}
