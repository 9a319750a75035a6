package io.tidemark.broker.peer;

import org.apache.kafka.common.requests.AbstractRequest;

/**
 * A way to another broker that carries requests in order and, after its end, is never used again. Every request gets
 * exactly one outcome. Called on one loop.
 */
public interface PeerLink {
    /** False once it has ended; it never becomes true again. */
    boolean usable();

    /** Sends a request in the version it was built for. The callback is never called from within this method. */
    void send(AbstractRequest request, PeerCallback callback);

    /** Ends it; what is pending fails. */
    void close();
}
