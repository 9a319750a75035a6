package io.tidemark.broker.sim;

import io.tidemark.broker.net.Call;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** A request that came over the simulated network; its one answer goes to whoever waits for it. */
final class SimCall implements Call {
    static final String LISTENER = "SIM";

    private final AbstractRequest body;
    /** Gets the response; null stands for an answer without bytes, or a connection closed. */
    private final Consumer<AbstractResponse> answer;

    private boolean answered;

    SimCall(AbstractRequest body, Consumer<AbstractResponse> answer) {
        this.body = body;
        this.answer = answer;
    }

    @Override
    public RequestHeader header() {
        return new RequestHeader(body.apiKey(), body.version(), "sim", 1);
    }

    @Override
    public AbstractRequest body() {
        return body;
    }

    @Override
    public String listenerName() {
        return LISTENER;
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
        if (answered) {
            return false;
        }
        answered = true;
        answer.accept(response);
        return true;
    }

    @Override
    public boolean respondEmpty() {
        return respond(null);
    }

    @Override
    public void closeConnection(String reason) {
        respond(null);
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
