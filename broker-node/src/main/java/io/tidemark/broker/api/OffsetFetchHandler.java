package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;

/**
 * OffsetFetch: the committed offsets of one group, or of several from version 8 on, for the topics asked or for all. From
 * version 10 on topics go by id; a committed topic that has no id any more is then left out.
 */
final class OffsetFetchHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final GroupCalls calls;

    OffsetFetchHandler(Supplier<ClusterImage> image, GroupCalls calls) {
        this.image = image;
        this.calls = calls;
    }

    @Override
    public void handle(Call call) {
        OffsetFetchRequest request = (OffsetFetchRequest) call.body();
        List<CompletableFuture<OffsetFetchResponseGroup>> groups = new ArrayList<>();
        for (OffsetFetchRequestGroup group : request.groups()) {
            groups.add(
                    OffsetFetchRequest.useTopicIds(request.version())
                            ? fetchById(call, group, request.requireStable())
                            : fetch(call, group, request.requireStable()));
        }
        CompletableFuture.allOf(groups.toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
            List<OffsetFetchResponseGroup> results = new ArrayList<>();
            groups.forEach(group -> results.add(group.join()));
            call.respond(new OffsetFetchResponse.Builder(results).build(request.version()));
        });
    }

    /** Never fails. */
    private CompletableFuture<OffsetFetchResponseGroup> fetch(
            Call call, OffsetFetchRequestGroup group, boolean stable) {
        return calls.ask(call, (coordinator, context) -> coordinator.fetchOffsets(context, group, stable))
                .exceptionally(failure -> OffsetFetchResponse.groupError(
                        group,
                        Errors.forException(GroupCalls.cause(failure)),
                        call.body().version()));
    }

    private CompletableFuture<OffsetFetchResponseGroup> fetchById(
            Call call, OffsetFetchRequestGroup group, boolean stable) {
        ClusterImage current = image.get();
        List<OffsetFetchResponseTopics> unknown = new ArrayList<>();
        OffsetFetchRequestGroup named = group.duplicate();
        if (!OffsetFetchRequest.requestAllOffsets(group)) {
            named.setTopics(new ArrayList<>());
            for (OffsetFetchRequestTopics asked : group.topics()) {
                TopicState topic = current.topic(ClusterView.topicId(asked.topicId()));
                if (topic == null) {
                    unknown.add(unknown(asked));
                } else {
                    named.topics().add(asked.duplicate().setName(topic.name()));
                }
            }
        }
        return fetch(call, named, stable).thenApply(result -> {
            List<OffsetFetchResponseTopics> topics = new ArrayList<>();
            for (OffsetFetchResponseTopics committed : result.topics()) {
                TopicState topic = current.topic(committed.name());
                if (topic != null) {
                    topics.add(committed.setTopicId(ClusterView.uuid(topic.id())));
                }
            }
            topics.addAll(result.errorCode() == Errors.NONE.code() ? unknown : List.of());
            return result.setTopics(topics);
        });
    }

    private static OffsetFetchResponseTopics unknown(OffsetFetchRequestTopics asked) {
        OffsetFetchResponseTopics topic = new OffsetFetchResponseTopics().setTopicId(asked.topicId());
        for (int index : asked.partitionIndexes()) {
            topic.partitions()
                    .add(new OffsetFetchResponsePartitions()
                            .setPartitionIndex(index)
                            .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                            .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                            .setMetadata(OffsetFetchResponse.NO_METADATA)
                            .setCommittedLeaderEpoch(RecordBatch.NO_PARTITION_LEADER_EPOCH));
        }
        return topic;
    }
}
