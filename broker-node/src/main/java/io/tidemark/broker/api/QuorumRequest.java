package io.tidemark.broker.api;

import io.tidemark.broker.runtime.MetadataWaiter;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's change of the cluster: submitted to the quorum, answered when this broker's own image shows it, all within
 * the time the client gave.
 */
final class QuorumRequest {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumRequest.class);
    /** Void entries are a bug outside of fault tests; after so many in a row something is wrong with the quorum. */
    private static final int MAX_VOID = 10;

    private final QuorumPort quorum;
    private final MetadataWaiter waiter;

    QuorumRequest(QuorumPort quorum, MetadataWaiter waiter) {
        this.quorum = quorum;
        this.waiter = waiter;
    }

    /**
     * Calls {@code then} exactly once, on any thread: with the answer once the image has applied it (or the time for that
     * is up: the outcome is known all the same), or with null if the outcome is unknown after {@code timeoutMs}. Less
     * than 1 ms counts as 1.
     */
    void submit(QuorumCommand command, int timeoutMs, BiConsumer<QuorumReply.Answer, Throwable> then) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(1, timeoutMs));
        attempt(command, MAX_VOID)
                .copy()
                .orTimeout(Math.max(1, timeoutMs), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        LOG.info("{}: no outcome: {}", command.getClass().getSimpleName(), failure.toString());
                        then.accept(null, failure);
                    } else {
                        whenVisible(answer, deadline - System.nanoTime(), () -> then.accept(answer, null));
                    }
                });
    }

    private CompletableFuture<QuorumReply.Answer> attempt(QuorumCommand command, int left) {
        return quorum.submit(command).toCompletableFuture().thenCompose(answer -> {
            if (answer.error() == ErrorCode.VOID_ENTRY && left > 0) {
                return attempt(command, left - 1);
            }
            return CompletableFuture.completedFuture(answer);
        });
    }

    private void whenVisible(QuorumReply.Answer answer, long nanosLeft, Runnable then) {
        CompletionStage<Void> applied = waiter.whenApplied(answer.index());
        applied.toCompletableFuture()
                .copy()
                .completeOnTimeout(null, Math.max(0, nanosLeft), TimeUnit.NANOSECONDS)
                .whenComplete((done, failure) -> then.run());
    }
}
