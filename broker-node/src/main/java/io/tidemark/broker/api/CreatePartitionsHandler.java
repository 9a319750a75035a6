package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.TopicState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreatePartitionsRequest;
import org.apache.kafka.common.requests.CreatePartitionsResponse;

/** CreatePartitions (a topic grows to a new total), at any broker. */
final class CreatePartitionsHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final QuorumRequest quorum;

    CreatePartitionsHandler(Supplier<ClusterImage> image, QuorumRequest quorum) {
        this.image = image;
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        CreatePartitionsRequestData request = ((CreatePartitionsRequest) call.body()).data();
        TopicChange<QuorumCommand.Growth> change = new TopicChange<>();
        Set<String> repeated = TopicChange.repeated(
                request.topics().stream().map(CreatePartitionsTopic::name).toList());
        Set<String> told = new HashSet<>();
        long added = 0;
        for (CreatePartitionsTopic topic : request.topics()) {
            if (!told.add(topic.name())) {
                continue; // the refusal of a repeated name is one row
            }
            List<List<Integer>> assignment = topic.assignments() == null
                    ? List.of()
                    : topic.assignments().stream()
                            .map(CreatePartitionsAssignment::brokerIds)
                            .toList();
            if (repeated.contains(topic.name())) {
                refuse(change, topic, Errors.INVALID_REQUEST, "the request names the topic twice");
            } else if (!Topic.isValid(topic.name())) {
                refuse(change, topic, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there can be no topic of this name");
            } else if (topic.count() <= 0) {
                refuse(change, topic, Errors.INVALID_PARTITIONS, "the new number of partitions must be positive");
            } else if (topic.assignments() != null
                    && (assignment.isEmpty() || !assignment.stream().allMatch(Replicas::legal))) {
                refuse(
                        change,
                        topic,
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        "an added partition has no replica, or one twice");
            } else {
                added += Math.max(0, topic.count() - existing(topic.name()));
                change.ask(
                        topic.name(), TopicId.ZERO, new QuorumCommand.Growth(topic.name(), topic.count(), assignment));
            }
        }
        if (added > TopicChange.MAX_PER_REQUEST) {
            change.refuseAll(
                    Errors.POLICY_VIOLATION,
                    "the request adds " + added + " partitions; " + TopicChange.MAX_PER_REQUEST
                            + " are allowed at once");
        }
        String client = call.header().clientId();
        change.submit(
                quorum,
                request.timeoutMs(),
                topics -> new QuorumCommand.CreatePartitions(topics, request.validateOnly(), client),
                outcomes -> call.respond(response(outcomes)));
    }

    private int existing(String name) {
        TopicState topic = image.get().topic(name);
        return topic == null ? 0 : topic.partitions().size();
    }

    private static void refuse(
            TopicChange<QuorumCommand.Growth> change, CreatePartitionsTopic topic, Errors error, String message) {
        change.refuse(topic.name(), TopicId.ZERO, error, message);
    }

    private static CreatePartitionsResponse response(List<TopicChange.Outcome> outcomes) {
        CreatePartitionsResponseData response = new CreatePartitionsResponseData();
        for (TopicChange.Outcome outcome : outcomes) {
            response.results()
                    .add(new CreatePartitionsTopicResult()
                            .setName(outcome.name())
                            .setErrorCode(outcome.error().code())
                            .setErrorMessage(outcome.message()));
        }
        return new CreatePartitionsResponse(response);
    }
}
