package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;

/**
 * InitProducerId of idempotent producers: a new id with epoch 0, also for a producer that has one and asks for a new
 * epoch (KIP-360), since without a transactional id nothing ties it to the old id. While no id can be had, clients are
 * told COORDINATOR_LOAD_IN_PROGRESS, on which all of them ask again.
 *
 * <p>With a transactional id the answer is COORDINATOR_NOT_AVAILABLE, as FindCoordinator says: clients look for the
 * coordinator until their own time limit and then report a timeout, and need no restart once transactions are offered.
 */
final class InitProducerIdHandler implements ApiHandler {
    private static final int TIMEOUT_MS = 5000;
    private static final int NONE = -1;

    private final ProducerIdSource ids;

    InitProducerIdHandler(ProducerIdSource ids) {
        this.ids = ids;
    }

    @Override
    public void handle(Call call) {
        InitProducerIdRequestData request = ((InitProducerIdRequest) call.body()).data();
        if ((request.producerId() == NONE) != (request.producerEpoch() == NONE)
                || "".equals(request.transactionalId())) {
            call.respond(failed(Errors.INVALID_REQUEST));
        } else if (request.transactionalId() != null) {
            call.respond(failed(Errors.COORDINATOR_NOT_AVAILABLE));
        } else {
            ids.next()
                    .toCompletableFuture()
                    .orTimeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                    .whenComplete((id, failure) ->
                            call.respond(failure == null ? given(id) : failed(Errors.COORDINATOR_LOAD_IN_PROGRESS)));
        }
    }

    private static InitProducerIdResponse given(long id) {
        return new InitProducerIdResponse(
                new InitProducerIdResponseData().setProducerId(id).setProducerEpoch((short) 0));
    }

    private static InitProducerIdResponse failed(Errors error) {
        return new InitProducerIdResponse(new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(NONE)
                .setProducerEpoch((short) NONE));
    }
}
