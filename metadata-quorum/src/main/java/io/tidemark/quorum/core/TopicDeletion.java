package io.tidemark.quorum.core;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.TopicDeleted;
import io.tidemark.model.metadata.QuorumCommand.DeleteTopics;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Topics;
import io.tidemark.model.metadata.TopicState;
import io.tidemark.quorum.core.StatelessChecks.TopicRows;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Topics go, by name or by id: one record each (R7.81). */
final class TopicDeletion {
    private TopicDeletion() {}

    static Decision decide(ClusterImage image, DeleteTopics command) {
        List<MetadataRecord> records = new ArrayList<>();
        List<Topics.Result> results = new ArrayList<>();
        Set<TopicId> gone = new HashSet<>();
        for (TopicRows.Row row : TopicRows.of(command)) {
            TopicState topic = row.id().isZero() ? image.topic(row.name()) : image.topic(row.id());
            if (row.problem() != null) {
                results.add(row.problem().row(row.name(), row.id()));
            } else if (topic == null) {
                results.add(unknown(row).row(row.name(), row.id()));
            } else if (!gone.add(topic.id())) {
                results.add(new Problem(ErrorCode.INVALID_REQUEST, "the topic is named twice")
                        .row(topic.name(), topic.id()));
            } else {
                records.add(new TopicDeleted(topic.id()));
                results.add(new Topics.Result(
                        topic.name(), topic.id(), topic.partitions().size(), -1, ErrorCode.NONE, ""));
            }
        }
        return Decision.of(records, new QuorumReply.Topics(results), Causes.client("DeleteTopics", command.client()));
    }

    private static Problem unknown(TopicRows.Row row) {
        return row.id().isZero()
                ? new Problem(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic has that name")
                : new Problem(ErrorCode.UNKNOWN_TOPIC_ID, "no topic has that id");
    }
}
