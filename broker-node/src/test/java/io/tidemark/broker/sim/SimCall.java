package io.tidemark.broker.sim;

import io.tidemark.broker.api.LocalCall;
import java.util.function.Consumer;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** A request that came over the simulated network; its one answer goes to whoever waits for it. */
final class SimCall extends LocalCall {
    static final String LISTENER = "SIM";

    /** Gets the response; null stands for an answer without bytes, or a connection closed. */
    private final Consumer<AbstractResponse> answer;

    private final int loop;
    private boolean answered;

    SimCall(AbstractRequest body, int loop, Consumer<AbstractResponse> answer) {
        super(body, "sim", 1, LISTENER);
        this.loop = loop;
        this.answer = answer;
    }

    @Override
    public int loopIndex() {
        return loop;
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
}
