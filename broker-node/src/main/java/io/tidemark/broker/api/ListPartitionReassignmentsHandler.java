package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingPartitionReassignment;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.OngoingTopicReassignment;
import org.apache.kafka.common.requests.ListPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.ListPartitionReassignmentsResponse;

/**
 * ListPartitionReassignments: the partitions whose replicas are being changed, among those asked for or among all. What
 * does not exist is not being changed, so it is left out without an error, as in Kafka.
 */
final class ListPartitionReassignmentsHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;

    ListPartitionReassignmentsHandler(Supplier<ClusterImage> image) {
        this.image = image;
    }

    @Override
    public void handle(Call call) {
        List<ListPartitionReassignmentsTopics> asked =
                ((ListPartitionReassignmentsRequest) call.body()).data().topics();
        ClusterImage now = image.get();
        ListPartitionReassignmentsResponseData response = new ListPartitionReassignmentsResponseData();
        if (asked == null) {
            now.topics().values().forEach(topic -> add(response, topic, topic.partitions()));
        } else {
            for (ListPartitionReassignmentsTopics row : asked) {
                TopicState topic = now.topic(row.name());
                if (topic != null) {
                    add(
                            response,
                            topic,
                            row.partitionIndexes().stream()
                                    .map(topic::partition)
                                    .toList());
                }
            }
        }
        call.respond(new ListPartitionReassignmentsResponse(response));
    }

    private static void add(
            ListPartitionReassignmentsResponseData response, TopicState topic, List<PartitionState> partitions) {
        List<OngoingPartitionReassignment> ongoing = partitions.stream()
                .filter(partition -> partition != null && partition.reassigning())
                .map(partition -> new OngoingPartitionReassignment()
                        .setPartitionIndex(partition.id().partition())
                        .setReplicas(partition.replicas())
                        .setAddingReplicas(partition.adding())
                        .setRemovingReplicas(partition.removing()))
                .toList();
        if (!ongoing.isEmpty()) {
            response.topics()
                    .add(new OngoingTopicReassignment().setName(topic.name()).setPartitions(ongoing));
        }
    }
}
