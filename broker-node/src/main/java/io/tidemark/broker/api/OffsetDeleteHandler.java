package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.utils.BufferSupplier;

/** OffsetDelete: forgets committed offsets of partitions that exist; the others are answered as unknown. */
final class OffsetDeleteHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final GroupCalls calls;

    OffsetDeleteHandler(Supplier<ClusterImage> image, GroupCalls calls) {
        this.image = image;
        this.calls = calls;
    }

    @Override
    public void handle(Call call) {
        OffsetDeleteRequest request = (OffsetDeleteRequest) call.body();
        OffsetDeleteResponse.Builder response = new OffsetDeleteResponse.Builder();
        OffsetDeleteRequestTopicCollection known = new OffsetDeleteRequestTopicCollection();
        ClusterImage current = image.get();
        for (OffsetDeleteRequestTopic asked : request.data().topics()) {
            TopicState topic = current.topic(asked.name());
            List<OffsetDeleteRequestPartition> partitions = new ArrayList<>();
            for (OffsetDeleteRequestPartition partition : asked.partitions()) {
                if (topic == null || topic.partition(partition.partitionIndex()) == null) {
                    response.addPartition(asked.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
                } else {
                    partitions.add(partition);
                }
            }
            if (!partitions.isEmpty()) {
                known.add(new OffsetDeleteRequestTopic().setName(asked.name()).setPartitions(partitions));
            }
        }
        // With nothing to delete the coordinator is asked all the same: it says whether there is such a group.
        OffsetDeleteRequestData narrowed = request.data().duplicate().setTopics(known);
        calls.answer(
                call,
                (coordinator, context) -> coordinator.deleteOffsets(context, narrowed, BufferSupplier.NO_CACHING),
                deleted -> response.merge(deleted).build());
    }
}
