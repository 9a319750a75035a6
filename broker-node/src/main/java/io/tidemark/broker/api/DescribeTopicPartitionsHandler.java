package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeTopicPartitionsRequest;
import org.apache.kafka.common.requests.DescribeTopicPartitionsResponse;

/** DescribeTopicPartitions (R7.90): partitions of topics in order of their names, in pages, with their eligible replicas. */
final class DescribeTopicPartitionsHandler implements ApiHandler {
    private static final int MAX_PARTITIONS = 2000;

    private final Supplier<ClusterImage> image;
    private final int brokerId;

    DescribeTopicPartitionsHandler(Supplier<ClusterImage> image, int brokerId) {
        this.image = image;
        this.brokerId = brokerId;
    }

    @Override
    public void handle(Call call) {
        DescribeTopicPartitionsRequestData request = ((DescribeTopicPartitionsRequest) call.body()).data();
        ClusterView view = new ClusterView(image.get(), call.listenerName(), brokerId);
        DescribeTopicPartitionsRequestData.Cursor cursor = request.cursor();
        TreeSet<String> names = new TreeSet<>();
        request.topics().forEach(topic -> names.add(topic.name()));
        boolean all = names.isEmpty();
        if (cursor != null && cursor.partitionIndex() < 0) {
            throw new InvalidRequestException("the cursor's partition is negative");
        }
        if (cursor != null && !all && !names.contains(cursor.topicName())) {
            throw new InvalidRequestException("the cursor's topic is not one of those asked for");
        }
        if (all) {
            view.image().topics().values().forEach(topic -> names.add(topic.name()));
        }
        Collection<String> from = cursor == null ? names : names.tailSet(cursor.topicName(), true);
        int limit = Math.max(1, Math.min(MAX_PARTITIONS, request.responsePartitionLimit()));
        call.respond(new DescribeTopicPartitionsResponse(page(view, from, cursor, limit)));
    }

    private static DescribeTopicPartitionsResponseData page(
            ClusterView view, Collection<String> names, DescribeTopicPartitionsRequestData.Cursor cursor, int limit) {
        DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
        int left = limit;
        for (String name : names) {
            int first = cursor != null && cursor.topicName().equals(name) ? cursor.partitionIndex() : 0;
            if (left == 0) {
                return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(first));
            }
            TopicState topic = view.image().topic(name);
            if (topic == null) {
                response.topics().add(unknown(name));
                continue;
            }
            int end = (int) Math.min(topic.partitions().size(), (long) first + left);
            response.topics().add(topic(topic, view, first, end));
            left -= Math.max(0, end - first);
            if (end < topic.partitions().size()) {
                return response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(end));
            }
        }
        return response;
    }

    private static DescribeTopicPartitionsResponseTopic unknown(String name) {
        Errors error = Topic.isValid(name) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION;
        return new DescribeTopicPartitionsResponseTopic()
                .setName(name)
                .setTopicId(Uuid.ZERO_UUID)
                .setErrorCode(error.code())
                .setIsInternal(Topic.isInternal(name));
    }

    private static DescribeTopicPartitionsResponseTopic topic(TopicState topic, ClusterView view, int first, int end) {
        List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
        for (int i = first; i < end; i++) {
            partitions.add(partition(topic.partition(i), view));
        }
        return new DescribeTopicPartitionsResponseTopic()
                .setName(topic.name())
                .setTopicId(ClusterView.uuid(topic.id()))
                .setIsInternal(Topic.isInternal(topic.name()))
                .setTopicAuthorizedOperations(Permissions.TOPIC)
                .setPartitions(partitions);
    }

    /** As the ELR it tells who may be elected, as the last known one who has a seat but must prove what he holds (B1). */
    static DescribeTopicPartitionsResponsePartition partition(PartitionState partition, ClusterView view) {
        Set<Integer> lastKnown = new LinkedHashSet<>(partition.waiting());
        lastKnown.addAll(partition.lastKnownElr());
        return new DescribeTopicPartitionsResponsePartition()
                .setPartitionIndex(partition.id().partition())
                .setLeaderId(view.leader(partition))
                .setLeaderEpoch(partition.leaderEpoch())
                .setReplicaNodes(partition.replicas())
                .setIsrNodes(partition.isr())
                .setEligibleLeaderReplicas(partition.eligible())
                .setLastKnownElr(List.copyOf(lastKnown))
                .setOfflineReplicas(view.offlineReplicas(partition));
    }
}
