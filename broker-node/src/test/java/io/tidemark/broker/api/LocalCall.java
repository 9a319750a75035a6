package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import java.net.InetAddress;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** A request that no socket and no frame belongs to; what becomes of its answer is for others to say. */
public abstract class LocalCall implements Call {
    private final RequestHeader header;
    private final AbstractRequest body;
    private final String listener;

    protected LocalCall(AbstractRequest body, String client, int correlationId, String listener) {
        this.header = new RequestHeader(body.apiKey(), body.version(), client, correlationId);
        this.body = body;
        this.listener = listener;
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public AbstractRequest body() {
        return body;
    }

    @Override
    public String listenerName() {
        return listener;
    }

    @Override
    public InetAddress clientAddress() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    public long connectionId() {
        return 1;
    }

    @Override
    public int loopIndex() {
        return 0;
    }

    @Override
    public boolean connectionOpen() {
        return true;
    }

    @Override
    public void retainFrame() {}

    @Override
    public void releaseFrame() {}

    @Override
    public int heldBytes() {
        return 0;
    }
}
