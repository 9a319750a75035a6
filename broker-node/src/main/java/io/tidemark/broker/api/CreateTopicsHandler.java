package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;

/** CreateTopics, at any broker. */
final class CreateTopicsHandler implements ApiHandler {
    private static final int DEFAULT = -1;

    private final Supplier<ClusterImage> image;
    private final QuorumRequest quorum;
    private final TopicConfigs topicConfigs;
    private final int defaultPartitions;

    CreateTopicsHandler(
            Supplier<ClusterImage> image, QuorumRequest quorum, TopicConfigs topicConfigs, int defaultPartitions) {
        this.image = image;
        this.quorum = quorum;
        this.topicConfigs = topicConfigs;
        this.defaultPartitions = defaultPartitions;
    }

    @Override
    public void handle(Call call) {
        CreateTopicsRequestData request = ((CreateTopicsRequest) call.body()).data();
        TopicChange<QuorumCommand.NewTopic> change = new TopicChange<>();
        Map<String, Map<String, String>> configs = new HashMap<>();
        long partitions = 0;
        Set<String> repeated = TopicChange.repeated(
                request.topics().stream().map(CreatableTopic::name).toList());
        for (CreatableTopic topic : request.topics()) {
            if (configs.containsKey(topic.name())) {
                continue; // the refusal of a repeated name is one row
            }
            Map<String, String> own = configs(topic);
            configs.put(topic.name(), own);
            Refusal refusal = repeated.contains(topic.name())
                    ? new Refusal(Errors.INVALID_REQUEST, "the request names the topic twice")
                    : refusal(topic, own);
            if (refusal != null) {
                change.refuse(topic.name(), TopicId.ZERO, refusal.error(), refusal.message());
            } else {
                partitions += partitions(topic);
                change.ask(topic.name(), TopicId.ZERO, newTopic(topic, own));
            }
        }
        if (partitions > TopicChange.MAX_PER_REQUEST) {
            change.refuseAll(
                    Errors.POLICY_VIOLATION,
                    "the request asks for " + partitions + " partitions; " + TopicChange.MAX_PER_REQUEST
                            + " are allowed at once");
        }
        String client = call.header().clientId();
        change.submit(
                quorum,
                request.timeoutMs(),
                topics -> new QuorumCommand.CreateTopics(topics, request.validateOnly(), client),
                outcomes -> call.respond(response(outcomes, configs)));
    }

    private record Refusal(Errors error, String message) {}

    /** The configuration asked for; a key given twice keeps its last value. */
    private static Map<String, String> configs(CreatableTopic topic) {
        Map<String, String> configs = new HashMap<>();
        topic.configs().forEach(config -> configs.put(config.name(), config.value()));
        return configs;
    }

    private static Refusal refusal(CreatableTopic topic, Map<String, String> configs) {
        try {
            Topic.validate(topic.name());
        } catch (InvalidTopicException e) {
            return new Refusal(Errors.INVALID_TOPIC_EXCEPTION, e.getMessage());
        }
        if (topic.name().equals(Topic.CLUSTER_METADATA_TOPIC_NAME)) {
            return new Refusal(Errors.INVALID_REQUEST, "this name is reserved");
        }
        if (!topic.assignments().isEmpty()) {
            Refusal refusal = assignmentRefusal(topic);
            if (refusal != null) {
                return refusal;
            }
        } else if (topic.numPartitions() == 0 || topic.numPartitions() < DEFAULT) {
            return new Refusal(Errors.INVALID_PARTITIONS, "the number of partitions must be positive, or -1");
        } else if (topic.replicationFactor() == 0 || topic.replicationFactor() < DEFAULT) {
            return new Refusal(Errors.INVALID_REPLICATION_FACTOR, "the replication factor must be positive, or -1");
        }
        String problem = TopicConfigs.problem(configs);
        return problem == null ? null : new Refusal(Errors.INVALID_CONFIG, problem);
    }

    private static Refusal assignmentRefusal(CreatableTopic topic) {
        if (topic.numPartitions() != DEFAULT || topic.replicationFactor() != DEFAULT) {
            return new Refusal(
                    Errors.INVALID_REQUEST,
                    "with an assignment, the number of partitions and the replication factor must be -1");
        }
        Set<Integer> numbers = new HashSet<>();
        for (CreatableReplicaAssignment assignment : topic.assignments()) {
            if (!numbers.add(assignment.partitionIndex())
                    || assignment.partitionIndex() < 0
                    || assignment.partitionIndex() >= topic.assignments().size()) {
                return new Refusal(
                        Errors.INVALID_REPLICA_ASSIGNMENT, "partitions must be numbered 0, 1, ... without a gap");
            }
            if (!Replicas.legal(assignment.brokerIds())) {
                return new Refusal(
                        Errors.INVALID_REPLICA_ASSIGNMENT,
                        "partition " + assignment.partitionIndex() + " has no replica, or one twice");
            }
        }
        return null;
    }

    private long partitions(CreatableTopic topic) {
        if (!topic.assignments().isEmpty()) {
            return topic.assignments().size();
        }
        return topic.numPartitions() == DEFAULT ? defaultPartitions : topic.numPartitions();
    }

    private static QuorumCommand.NewTopic newTopic(CreatableTopic topic, Map<String, String> configs) {
        List<CreatableReplicaAssignment> sorted = new ArrayList<>();
        topic.assignments().forEach(sorted::add);
        sorted.sort((a, b) -> Integer.compare(a.partitionIndex(), b.partitionIndex()));
        List<List<Integer>> replicas =
                sorted.stream().map(CreatableReplicaAssignment::brokerIds).toList();
        return new QuorumCommand.NewTopic(
                topic.name(), topic.numPartitions(), topic.replicationFactor(), replicas, configs);
    }

    private CreateTopicsResponse response(
            List<TopicChange.Outcome> outcomes, Map<String, Map<String, String>> configs) {
        CreateTopicsResponseData response = new CreateTopicsResponseData();
        for (TopicChange.Outcome outcome : outcomes) {
            CreatableTopicResult result = new CreatableTopicResult()
                    .setName(outcome.name())
                    .setTopicId(ClusterView.uuid(outcome.topicId()))
                    .setErrorCode(outcome.error().code())
                    .setErrorMessage(outcome.message());
            if (outcome.error() == Errors.NONE) {
                result.setNumPartitions(outcome.partitions()).setReplicationFactor((short) outcome.replicationFactor());
                for (TopicConfigs.Value value : topicConfigs.effective(configs.get(outcome.name()), image.get())) {
                    result.configs()
                            .add(new CreatableTopicConfigs()
                                    .setName(value.key())
                                    .setValue(value.effective())
                                    .setConfigSource(value.source().id()));
                }
            }
            response.topics().add(result);
        }
        return new CreateTopicsResponse(response);
    }
}
