package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import org.apache.kafka.common.message.UnregisterBrokerResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.UnregisterBrokerRequest;
import org.apache.kafka.common.requests.UnregisterBrokerResponse;

/** UnregisterBroker, at any broker: it is forgotten, and stays away if it still runs. */
final class UnregisterBrokerHandler implements ApiHandler {
    /** The request does not say how long its client waits. */
    private static final int TIMEOUT_MS = 30_000;

    private final QuorumRequest quorum;

    UnregisterBrokerHandler(QuorumRequest quorum) {
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        int brokerId = ((UnregisterBrokerRequest) call.body()).data().brokerId();
        String client = call.header().clientId();
        quorum.submit(new QuorumCommand.UnregisterBroker(brokerId, client), TIMEOUT_MS, (answer, failure) -> {
            UnregisterBrokerResponseData response = new UnregisterBrokerResponseData();
            if (answer == null) {
                response.setErrorCode(Errors.REQUEST_TIMED_OUT.code());
            } else if (answer.reply() instanceof QuorumReply.Refused refused) {
                response.setErrorCode(ReplyErrors.of(refused.error()).code()).setErrorMessage(refused.message());
            }
            call.respond(new UnregisterBrokerResponse(response));
        });
    }
}
