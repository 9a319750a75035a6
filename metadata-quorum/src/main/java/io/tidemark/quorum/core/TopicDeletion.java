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

/** Topics go, by name or by id: one record each (R7.81). One that is named by both goes by neither. */
final class TopicDeletion {
    private TopicDeletion() {}

    static Decision decide(ClusterImage image, DeleteTopics command) {
        List<MetadataRecord> records = new ArrayList<>();
        List<Topics.Result> results = new ArrayList<>();
        List<TopicRows.Row> rows = TopicRows.of(command);
        Set<TopicId> twice = namedTwice(image, rows);
        for (TopicRows.Row row : rows) {
            TopicState topic = topic(image, row);
            if (row.problem() != null) {
                results.add(row.problem().row(row.name(), row.id()));
            } else if (topic == null) {
                results.add(unknown(row).row(row.name(), row.id()));
            } else if (twice.contains(topic.id())) {
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

    private static TopicState topic(ClusterImage image, TopicRows.Row row) {
        return row.id().isZero() ? image.topic(row.name()) : image.topic(row.id());
    }

    private static Set<TopicId> namedTwice(ClusterImage image, List<TopicRows.Row> rows) {
        Set<TopicId> named = new HashSet<>();
        Set<TopicId> twice = new HashSet<>();
        for (TopicRows.Row row : rows) {
            TopicState topic = topic(image, row);
            if (row.problem() == null && topic != null && !named.add(topic.id())) {
                twice.add(topic.id());
            }
        }
        return twice;
    }

    private static Problem unknown(TopicRows.Row row) {
        return row.id().isZero()
                ? new Problem(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no topic has that name")
                : new Problem(ErrorCode.UNKNOWN_TOPIC_ID, "no topic has that id");
    }
}
