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

    void refused(ReplicaError error, long highWatermark, long logStart);
}
