package io.tidemark.broker.api;

import io.tidemark.broker.group.Groups;
import io.tidemark.broker.net.Call;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of a request to this broker's group coordinator and back; what fails becomes the request's error answer. */
final class GroupCalls {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCalls.class);

    private final Groups groups;

    GroupCalls(Groups groups) {
        this.groups = groups;
    }

    /** Puts one request to the coordinator. */
    interface Question<T> {
        CompletableFuture<T> ask(GroupCoordinator coordinator, AuthorizableRequestContext context);
    }

    /** Answers with what {@code respond} makes of the outcome, on a thread of the coordinator. */
    <T> void answer(Call call, Question<T> question, Function<T, AbstractResponse> respond) {
        ask(call, question).thenApply(respond).whenComplete((response, failure) -> {
            if (failure == null) {
                call.respond(response);
            } else {
                call.respond(call.body().getErrorResponse(0, cause(failure)));
            }
        });
    }

    /** NOT_COORDINATOR, as of a group that lives elsewhere, if no group has been used in the cluster yet. */
    <T> CompletableFuture<T> ask(Call call, Question<T> question) {
        GroupCoordinator coordinator = groups.coordinator().orElse(null);
        if (coordinator == null) {
            return CompletableFuture.failedFuture(Errors.NOT_COORDINATOR.exception());
        }
        try {
            return question.ask(coordinator, new GroupCallContext(call));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What a client is told; what no client can make sense of is logged. */
    static Throwable cause(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (Errors.forException(cause) == Errors.UNKNOWN_SERVER_ERROR) {
            LOG.error("a group request failed", cause);
        }
        return cause;
    }
}
