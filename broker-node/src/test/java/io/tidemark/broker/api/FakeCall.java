package io.tidemark.broker.api;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/** A request without a connection; its answer is a future. */
final class FakeCall extends LocalCall {
    static final String CLIENT = "tester";

    final CompletableFuture<AbstractResponse> answer = new CompletableFuture<>();

    FakeCall(AbstractRequest body) {
        super(body, CLIENT, 7, TestBroker.LISTENER);
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
}
