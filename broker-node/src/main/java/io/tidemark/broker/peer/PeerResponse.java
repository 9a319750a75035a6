package io.tidemark.broker.peer;

import io.tidemark.broker.net.Frame;
import org.apache.kafka.common.requests.AbstractResponse;

/** An answer of another broker; records of a Fetch answer are slices of its frame. */
public interface PeerResponse extends Frame {
    AbstractResponse body();
}
