package io.tidemark.broker.runtime;

import io.tidemark.broker.log.ReadResult;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import java.io.IOException;

/** One read of a partition: at most {@code maxBytes}, or one larger batch if {@code atLeastOneBatch}. */
record ReadRequest(long offset, int maxBytes, boolean atLeastOneBatch, ReadSink sink) {

    /**
     * Reads what is allowed and tells the sink.
     *
     * @param quota that the read is charged to and waits for (R4.23), or null
     * @return null if the sink was told; else what must run first, on a thread that may block, before this is called again
     */
    Runnable perform(SegmentLog log, Effect.ReadAllowed allowed, ReplicationQuota quota, long nowMs)
            throws IOException {
        if (quota != null && !quota.open(nowMs)) {
            nothing(allowed);
            return null;
        }
        ReadResult result = log.read(offset, allowed.limit(), maxBytes, atLeastOneBatch);
        if (result instanceof ReadResult.Slice read) {
            if (quota != null) {
                quota.moved(read.slice().length(), nowMs);
            }
            sink.read(
                    read.slice(),
                    read.nextOffset() < allowed.limit(),
                    allowed.highWatermark(),
                    allowed.stableOffset(),
                    allowed.logStart());
        } else if (result instanceof ReadResult.Cold cold) {
            return cold.warm();
        } else if (result instanceof ReadResult.OutOfRange range) {
            sink.refused(ReplicaError.OFFSET_OUT_OF_RANGE, allowed.highWatermark(), range.logStart());
        } else {
            nothing(allowed);
        }
        return null;
    }

    private void nothing(Effect.ReadAllowed allowed) {
        sink.read(null, offset < allowed.limit(), allowed.highWatermark(), allowed.stableOffset(), allowed.logStart());
    }

    void failed() {
        sink.refused(ReplicaError.KAFKA_STORAGE_ERROR, -1, -1);
    }
}
