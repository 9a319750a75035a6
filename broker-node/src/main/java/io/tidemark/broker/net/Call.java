package io.tidemark.broker.net;

import java.net.InetAddress;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * One request of one connection, waiting for its one answer. The handler runs on the connection's loop; the answer may
 * come at once or later, from any thread. Answers leave in the order of the requests, whatever the order they come in.
 */
public interface Call extends Frame {
    RequestHeader header();

    /**
     * The parsed request. Its version is {@link AbstractRequest#version}, which for an ApiVersions request of a version
     * unknown here is 0 (the client is answered in a form it can read).
     */
    AbstractRequest body();

    /** Name of the listener the request came in on. */
    String listenerName();

    InetAddress clientAddress();

    /** Unique among the connections of this process. */
    long connectionId();

    /** Index of the loop the connection lives on, 0 .. loops - 1. */
    int loopIndex();

    /** False once nobody waits for the answer any more; answering is still allowed and does nothing. */
    boolean connectionOpen();

    /**
     * Answers. File regions in the response belong to the call from here on. Returns false, and drops the response, if
     * the call was answered before.
     */
    boolean respond(AbstractResponse response);

    /** Ends the call without a byte on the wire (Produce with acks=0). Returns as {@link #respond}. */
    boolean respondEmpty();

    /** Closes the connection instead of answering; the reason goes to the log (rate limited). */
    void closeConnection(String reason);
}
