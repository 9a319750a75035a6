package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData.PartitionResult;
import org.apache.kafka.common.message.ElectLeadersResponseData.ReplicaElectionResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ElectLeadersRequest;
import org.apache.kafka.common.requests.ElectLeadersResponse;

/**
 * ElectLeaders, at any broker: for the partitions named, or for all of which this broker's image says that an
 * election is needed.
 */
final class ElectLeadersHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final QuorumRequest quorum;

    ElectLeadersHandler(Supplier<ClusterImage> image, QuorumRequest quorum) {
        this.image = image;
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        ElectLeadersRequest request = (ElectLeadersRequest) call.body();
        new Election(call, request, image.get()).run();
    }

    private record Named(String topic, int partition, PartitionId id) {}

    /** One request on its way. */
    private final class Election {
        private final Call call;
        private final ElectLeadersRequest request;
        private final boolean unclean;
        private final List<Named> asked = new ArrayList<>();
        private final Map<String, ReplicaElectionResult> results = new LinkedHashMap<>();

        Election(Call call, ElectLeadersRequest request, ClusterImage now) {
            this.call = call;
            this.request = request;
            this.unclean = request.electionType() == ElectionType.UNCLEAN;
            if (request.data().topicPartitions() == null) {
                now.topics().values().forEach(this::askWhereNeeded);
            } else {
                request.data().topicPartitions().forEach(row -> ask(row, now.topic(row.topic())));
            }
        }

        private void askWhereNeeded(TopicState topic) {
            for (PartitionState state : topic.partitions()) {
                boolean needed = unclean
                        ? !state.hasLeader()
                        : state.leader() != state.replicas().get(0);
                if (needed) {
                    asked.add(new Named(topic.name(), state.id().partition(), state.id()));
                }
            }
        }

        private void ask(ElectLeadersRequestData.TopicPartitions row, TopicState topic) {
            Set<Integer> partitions = new TreeSet<>(row.partitions());
            for (int partition : partitions) {
                if (topic == null || topic.partition(partition) == null) {
                    tell(row.topic(), partition, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no such partition");
                } else {
                    asked.add(new Named(row.topic(), partition, new PartitionId(topic.id(), partition)));
                }
            }
        }

        private void run() {
            String client = call.header().clientId();
            new ChangeInParts<>(
                            quorum,
                            request.data().timeoutMs(),
                            part -> new QuorumCommand.ElectLeaders(
                                    part.stream().map(Named::id).toList(), unclean, client),
                            this::take,
                            this::respond)
                    .submit(asked);
        }

        private void take(Named row, Errors error, String message) {
            boolean forAll = request.data().topicPartitions() == null;
            if (!forAll || error != Errors.ELECTION_NOT_NEEDED) {
                tell(row.topic(), row.partition(), error, message);
            }
        }

        private void respond() {
            call.respond(
                    new ElectLeadersResponse(0, Errors.NONE.code(), List.copyOf(results.values()), request.version()));
        }

        private void tell(String topic, int partition, Errors error, String message) {
            results.computeIfAbsent(topic, name -> new ReplicaElectionResult().setTopic(name))
                    .partitionResult()
                    .add(new PartitionResult()
                            .setPartitionId(partition)
                            .setErrorCode(error.code())
                            .setErrorMessage(message));
        }
    }
}
