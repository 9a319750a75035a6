package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorResponse;

/** FindCoordinator before there are groups and transactions: COORDINATOR_NOT_AVAILABLE for every key. */
final class FindCoordinatorHandler implements ApiHandler {
    private static final short FIRST_WITH_MANY_KEYS = 4;
    private static final Errors ERROR = Errors.COORDINATOR_NOT_AVAILABLE;

    @Override
    public void handle(Call call) {
        FindCoordinatorRequestData request = ((FindCoordinatorRequest) call.body()).data();
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (call.body().version() < FIRST_WITH_MANY_KEYS) {
            response.setErrorCode(ERROR.code())
                    .setErrorMessage(ERROR.message())
                    .setNodeId(Node.noNode().id())
                    .setHost(Node.noNode().host())
                    .setPort(Node.noNode().port());
        } else {
            for (String key : request.coordinatorKeys()) {
                response.coordinators()
                        .add(new Coordinator()
                                .setKey(key)
                                .setErrorCode(ERROR.code())
                                .setErrorMessage(ERROR.message())
                                .setNodeId(Node.noNode().id())
                                .setHost(Node.noNode().host())
                                .setPort(Node.noNode().port()));
            }
        }
        call.respond(new FindCoordinatorResponse(response));
    }
}
