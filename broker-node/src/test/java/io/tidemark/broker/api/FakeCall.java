package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** A request without a connection; its answer is a future. */
final class FakeCall implements Call {
    static final String CLIENT = "tester";

    final CompletableFuture<AbstractResponse> answer = new CompletableFuture<>();
    private final RequestHeader header;
    private final AbstractRequest body;

    FakeCall(AbstractRequest body) {
        this.header = new RequestHeader(body.apiKey(), body.version(), CLIENT, 7);
        this.body = body;
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
        return TestBroker.LISTENER;
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
    public boolean respond(AbstractResponse response) {
        return answer.complete(response);
    }

    @Override
    public boolean respondEmpty() {
        return answer.complete(null);
    }

    @Override
    public void closeConnection(String reason) {
        answer.completeExceptionally(new IllegalStateException(reason));
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
