package io.tidemark.quorum.core;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumReply.Topics;

/** Why one row of a request cannot be carried out. */
record Problem(ErrorCode error, String message) {
    /** The row of a topic that was asked for by name, by id, or by both in turn. */
    Topics.Result row(String name, TopicId id) {
        return new Topics.Result(name, id, -1, -1, error, message);
    }
}
