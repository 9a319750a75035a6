package io.tidemark.broker.runtime;

import io.tidemark.model.PartitionId;

/** A reader that waits for news of partitions; called on its own loop. */
public interface Watcher {
    /** @param data there may be records to read, or an error; false if only the high watermark moved */
    void changed(PartitionId partition, boolean data);
}
