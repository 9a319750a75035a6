package io.tidemark.broker.peer;

/** Takes the one outcome of a request, on the connection's loop; must not block. */
public interface PeerCallback {
    /** The frame is valid while this runs, and for as long as it is retained. */
    void answered(PeerResponse response);

    /** There will be no answer: the connection is closed. The other side may have acted on the request. */
    void failed(Throwable cause);
}
