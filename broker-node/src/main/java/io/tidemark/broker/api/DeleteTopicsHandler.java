package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteTopicsRequest;
import org.apache.kafka.common.requests.DeleteTopicsResponse;

/** DeleteTopics by name or, from version 6 on, by id; at any broker. */
final class DeleteTopicsHandler implements ApiHandler {
    private static final short FIRST_WITH_TOPIC_IDS = 6;
    /** Older clients do not know the error of a cluster that lets no topic be deleted. */
    private static final short FIRST_WITH_DELETION_DISABLED = 3;

    private final QuorumRequest quorum;

    DeleteTopicsHandler(QuorumRequest quorum) {
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        DeleteTopicsRequest request = (DeleteTopicsRequest) call.body();
        TopicChange<QuorumCommand.TopicRef> change = new TopicChange<>();
        List<QuorumCommand.TopicRef> topics = topics(request);
        Set<QuorumCommand.TopicRef> repeated = TopicChange.repeated(topics);
        // The refusal of what is repeated is one row.
        for (QuorumCommand.TopicRef topic : new LinkedHashSet<>(topics)) {
            boolean named = !topic.name().isEmpty();
            if (named != topic.topicId().isZero()) {
                refuse(change, topic, Errors.INVALID_REQUEST, "a topic is named either by its name or by its id");
            } else if (repeated.contains(topic)) {
                refuse(change, topic, Errors.INVALID_REQUEST, "the request names the topic twice");
            } else if (named && !Topic.isValid(topic.name())) {
                refuse(change, topic, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there can be no topic of this name");
            } else {
                change.ask(topic.name(), topic.topicId(), topic);
            }
        }
        if (topics.size() > TopicChange.MAX_PER_REQUEST) {
            change.refuseAll(Errors.POLICY_VIOLATION, TopicChange.MAX_PER_REQUEST + " topics may be deleted at once");
        }
        String client = call.header().clientId();
        change.submit(
                quorum,
                request.data().timeoutMs(),
                refs -> new QuorumCommand.DeleteTopics(refs, client),
                outcomes -> call.respond(response(outcomes, request.version())));
    }

    private static List<QuorumCommand.TopicRef> topics(DeleteTopicsRequest request) {
        List<QuorumCommand.TopicRef> topics = new ArrayList<>();
        if (request.version() >= FIRST_WITH_TOPIC_IDS) {
            for (DeleteTopicState topic : request.data().topics()) {
                topics.add(new QuorumCommand.TopicRef(
                        topic.name() == null ? "" : topic.name(), ClusterView.topicId(topic.topicId())));
            }
        } else {
            request.data().topicNames().forEach(name -> topics.add(new QuorumCommand.TopicRef(name, TopicId.ZERO)));
        }
        return topics;
    }

    private static void refuse(
            TopicChange<QuorumCommand.TopicRef> change, QuorumCommand.TopicRef topic, Errors error, String message) {
        change.refuse(topic.name(), topic.topicId(), error, message);
    }

    private static DeleteTopicsResponse response(List<TopicChange.Outcome> outcomes, short version) {
        DeleteTopicsResponseData response = new DeleteTopicsResponseData();
        for (TopicChange.Outcome outcome : outcomes) {
            boolean nameless = outcome.name().isEmpty() && version >= FIRST_WITH_TOPIC_IDS;
            response.responses()
                    .add(new DeletableTopicResult()
                            .setName(nameless ? null : outcome.name())
                            .setTopicId(ClusterView.uuid(outcome.topicId()))
                            .setErrorCode(error(outcome.error(), version).code())
                            .setErrorMessage(outcome.message()));
        }
        return new DeleteTopicsResponse(response);
    }

    private static Errors error(Errors error, short version) {
        return error == Errors.TOPIC_DELETION_DISABLED && version < FIRST_WITH_DELETION_DISABLED
                ? Errors.INVALID_REQUEST
                : error;
    }
}
