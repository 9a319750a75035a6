package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * OffsetCommit: only offsets of partitions that exist reach the coordinator, which knows topics by name; from version 10
 * on clients name them by id.
 */
final class OffsetCommitHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final GroupCalls calls;

    OffsetCommitHandler(Supplier<ClusterImage> image, GroupCalls calls) {
        this.image = image;
        this.calls = calls;
    }

    @Override
    public void handle(Call call) {
        OffsetCommitRequest request = (OffsetCommitRequest) call.body();
        boolean byId = OffsetCommitResponse.useTopicIds(request.version());
        OffsetCommitResponse.Builder response = OffsetCommitResponse.newBuilder(byId);
        List<OffsetCommitRequestTopic> known = new ArrayList<>();
        for (OffsetCommitRequestTopic asked : request.data().topics()) {
            ClusterImage current = image.get();
            TopicState topic = byId ? current.topic(ClusterView.topicId(asked.topicId())) : current.topic(asked.name());
            if (topic == null) {
                response.addPartitions(
                        asked.topicId(),
                        asked.name(),
                        asked.partitions(),
                        OffsetCommitRequestPartition::partitionIndex,
                        byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
            } else {
                addKnown(asked, topic, byId, response, known);
            }
        }
        if (known.isEmpty()) {
            call.respond(response.build());
            return;
        }
        OffsetCommitRequestData narrowed = request.data().duplicate().setTopics(known);
        calls.answer(
                call,
                (coordinator, context) -> coordinator.commitOffsets(context, narrowed, BufferSupplier.NO_CACHING),
                committed -> response.merge(committed).build());
    }

    private static void addKnown(
            OffsetCommitRequestTopic asked,
            TopicState topic,
            boolean byId,
            OffsetCommitResponse.Builder response,
            List<OffsetCommitRequestTopic> known) {
        List<OffsetCommitRequestPartition> partitions = new ArrayList<>();
        Uuid id = byId ? asked.topicId() : Uuid.ZERO_UUID;
        for (OffsetCommitRequestPartition partition : asked.partitions()) {
            if (topic.partition(partition.partitionIndex()) == null) {
                response.addPartition(id, topic.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
            } else {
                partitions.add(partition);
            }
        }
        if (!partitions.isEmpty()) {
            known.add(new OffsetCommitRequestTopic()
                    .setTopicId(ClusterView.uuid(topic.id()))
                    .setName(topic.name())
                    .setPartitions(partitions));
        }
    }
}
