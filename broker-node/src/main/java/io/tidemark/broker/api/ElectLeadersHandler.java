package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
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
 * election is needed. Large requests go to the quorum in parts, one after another.
 */
final class ElectLeadersHandler implements ApiHandler {
    private static final int PART = 1_000;

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
        private final long deadline;
        private final List<Named> asked = new ArrayList<>();
        private final Map<String, ReplicaElectionResult> results = new LinkedHashMap<>();

        Election(Call call, ElectLeadersRequest request, ClusterImage now) {
            this.call = call;
            this.request = request;
            this.unclean = request.electionType() == ElectionType.UNCLEAN;
            this.deadline = System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(Math.max(1, request.data().timeoutMs()));
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
            if (asked.isEmpty()) {
                call.respond(new ElectLeadersResponse(
                        0, Errors.NONE.code(), List.copyOf(results.values()), request.version()));
                return;
            }
            List<Named> rest = asked.subList(0, Math.min(PART, asked.size()));
            List<Named> part = List.copyOf(rest);
            rest.clear();
            List<PartitionId> ids = part.stream().map(Named::id).toList();
            String client = call.header().clientId();
            int timeoutMs = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            quorum.submit(new QuorumCommand.ElectLeaders(ids, unclean, client), timeoutMs, (answer, failure) -> {
                take(part, answer == null ? null : answer.reply());
                run();
            });
        }

        private void take(List<Named> part, QuorumReply reply) {
            boolean rows = reply instanceof QuorumReply.Rows all && all.rows().size() == part.size();
            for (int i = 0; i < part.size(); i++) {
                Errors error = Errors.REQUEST_TIMED_OUT;
                String message = "the outcome is not known";
                if (rows) {
                    QuorumReply.Rows.Row row = ((QuorumReply.Rows) reply).rows().get(i);
                    error = ReplyErrors.of(row.error());
                    message = error == Errors.NONE ? null : row.message();
                } else if (reply instanceof QuorumReply.Refused refused) {
                    error = ReplyErrors.of(refused.error());
                    message = refused.message();
                }
                boolean forAll = request.data().topicPartitions() == null;
                if (!forAll || error != Errors.ELECTION_NOT_NEEDED) {
                    tell(part.get(i).topic(), part.get(i).partition(), error, message);
                }
            }
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
