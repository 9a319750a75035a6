package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.Reassignment;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignablePartitionResponse;
import org.apache.kafka.common.message.AlterPartitionReassignmentsResponseData.ReassignableTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse;

/**
 * AlterPartitionReassignments, at any broker: other replicas for partitions, or an end to such a change.
 */
final class AlterPartitionReassignmentsHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final QuorumRequest quorum;

    AlterPartitionReassignmentsHandler(Supplier<ClusterImage> image, QuorumRequest quorum) {
        this.image = image;
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        AlterPartitionReassignmentsRequestData request = ((AlterPartitionReassignmentsRequest) call.body()).data();
        new Change(call, request, image.get()).run();
    }

    private record Named(String topic, Reassignment wanted) {}

    /** One request on its way. */
    private final class Change {
        private final Call call;
        private final boolean allowReplicationFactorChange;
        private final int timeoutMs;
        private final List<Named> asked = new ArrayList<>();
        private final Map<String, ReassignableTopicResponse> results = new LinkedHashMap<>();

        Change(Call call, AlterPartitionReassignmentsRequestData request, ClusterImage now) {
            this.call = call;
            this.allowReplicationFactorChange = request.allowReplicationFactorChange();
            this.timeoutMs = request.timeoutMs();
            for (ReassignableTopic row : request.topics()) {
                TopicState topic = now.topic(row.name());
                row.partitions().forEach(partition -> ask(row.name(), topic, partition));
            }
        }

        private void ask(String name, TopicState topic, ReassignablePartition row) {
            if (topic == null || topic.partition(row.partitionIndex()) == null) {
                tell(name, row.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no such partition");
            } else {
                PartitionId id = new PartitionId(topic.id(), row.partitionIndex());
                List<Integer> target = row.replicas() == null ? null : List.copyOf(row.replicas());
                if (target != null && target.stream().anyMatch(replica -> replica < 0)) {
                    tell(
                            name,
                            row.partitionIndex(),
                            Errors.INVALID_REPLICA_ASSIGNMENT,
                            "a broker has an id of 0 or more");
                } else {
                    asked.add(new Named(name, new Reassignment(id, target)));
                }
            }
        }

        private void run() {
            String client = call.header().clientId();
            new ChangeInParts<>(
                            quorum,
                            timeoutMs,
                            part -> new QuorumCommand.AlterReassignments(
                                    part.stream().map(Named::wanted).toList(), allowReplicationFactorChange, client),
                            this::take,
                            this::respond)
                    .submit(asked);
        }

        private void take(Named row, Errors error, String message) {
            tell(row.topic(), row.wanted().id().partition(), error, message);
        }

        private void respond() {
            call.respond(new AlterPartitionReassignmentsResponse(new AlterPartitionReassignmentsResponseData()
                    .setAllowReplicationFactorChange(allowReplicationFactorChange)
                    .setResponses(List.copyOf(results.values()))));
        }

        private void tell(String topic, int partition, Errors error, String message) {
            results.computeIfAbsent(topic, name -> new ReassignableTopicResponse().setName(name))
                    .partitions()
                    .add(new ReassignablePartitionResponse()
                            .setPartitionIndex(partition)
                            .setErrorCode(error.code())
                            .setErrorMessage(message));
        }
    }
}
