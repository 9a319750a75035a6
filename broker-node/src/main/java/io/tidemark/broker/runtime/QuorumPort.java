package io.tidemark.broker.runtime;

import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.concurrent.CompletionStage;

/** The way from a broker to the acting controller. Neither method blocks; both complete on a thread of the link. */
public interface QuorumPort {
    /**
     * Submits a command and retries it under the same call id until it is answered or the link's request timeout has
     * passed; then the stage fails with {@link OutcomeUnknownException}.
     */
    CompletionStage<QuorumReply.Answer> submit(QuorumCommand command);

    /**
     * Submits a command once: it is sent on only after answers that prove it was not appended. A stage that completes
     * normally has had no other attempt; one that fails with {@link OutcomeUnknownException} may still take effect (B9).
     */
    CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command);

    /** No answer: the command may or may not have taken effect, now or later. */
    final class OutcomeUnknownException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public OutcomeUnknownException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
