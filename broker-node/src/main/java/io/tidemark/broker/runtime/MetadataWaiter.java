package io.tidemark.broker.runtime;

import java.util.concurrent.CompletionStage;

/** Tells when this broker's own image of the cluster has come as far as an entry of the metadata log. */
public interface MetadataWaiter {
    /**
     * Completes, on any thread, once the image the broker answers from has applied the entry at {@code index}; at once if
     * it has already. Never fails, but may never complete: the caller bounds its wait.
     */
    CompletionStage<Void> whenApplied(long index);
}
