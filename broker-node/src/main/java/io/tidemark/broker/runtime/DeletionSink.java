package io.tidemark.broker.runtime;

import io.tidemark.broker.replica.ReplicaError;

/** Hears what became of a deletion of records. */
public interface DeletionSink {
    /** {@code lowWatermark} is -1 on error. Called once, on the partition's loop. */
    void answered(ReplicaError error, long lowWatermark);
}
