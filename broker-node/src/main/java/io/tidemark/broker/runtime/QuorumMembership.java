package io.tidemark.broker.runtime;

import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import java.util.concurrent.CompletionStage;

/** Who follows the metadata log, and how far, as the acting controller tells it. */
@FunctionalInterface
public interface QuorumMembership {
    /** Does not block; completes on a thread of the link, and fails if no acting controller answers in time. */
    CompletionStage<MembersAnswer> members();
}
