package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DeleteRecordsRequest;
import org.apache.kafka.common.requests.DeleteRecordsResponse;

/** DeleteRecords: moves the start of partitions, at their leaders (R3.26). */
public final class DeleteRecordsHandler implements ApiHandler {
    private static final long NOTHING_KNOWN = DeleteRecordsResponse.INVALID_LOW_WATERMARK;

    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public DeleteRecordsHandler(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public void handle(Call call) {
        DeleteRecordsRequestData request = ((DeleteRecordsRequest) call.body()).data();
        PartitionLoop home = partitions.loop(call.loopIndex());
        home.refreshTime();
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        Gather gather = new Gather(home, () -> call.respond(new DeleteRecordsResponse(response)));
        ClusterImage now = image.get();
        Set<PartitionId> seen = new HashSet<>();
        for (DeleteRecordsTopic asked : request.topics()) {
            TopicState topic = now.topic(asked.name());
            DeleteRecordsTopicResult rows = response.topics().find(asked.name());
            if (rows == null) {
                rows = new DeleteRecordsTopicResult().setName(asked.name());
                response.topics().add(rows);
            }
            for (DeleteRecordsPartition partition : asked.partitions()) {
                if (topic != null && !seen.add(TopicNames.partition(topic, partition.partitionIndex()))) {
                    continue;
                }
                DeleteRecordsPartitionResult row = new DeleteRecordsPartitionResult()
                        .setPartitionIndex(partition.partitionIndex())
                        .setLowWatermark(NOTHING_KNOWN);
                rows.partitions().add(row);
                if (topic == null) {
                    row.setErrorCode(TopicNames.unknown(now).code());
                } else if (Topic.isInternal(topic.name())) {
                    row.setErrorCode(Errors.INVALID_TOPIC_EXCEPTION.code());
                } else {
                    delete(topic, partition, request.timeoutMs(), row, gather);
                }
            }
        }
        gather.oneDone();
    }

    private void delete(
            TopicState topic,
            DeleteRecordsPartition asked,
            int timeoutMs,
            DeleteRecordsPartitionResult row,
            Gather gather) {
        PartitionId id = TopicNames.partition(topic, asked.partitionIndex());
        PartitionLoop loop = partitions.loopOf(id);
        gather.oneMore();
        loop.execute(() -> {
            PartitionHost host = loop.host(id);
            if (host == null) {
                gather.done(() -> row.setErrorCode(
                        TopicNames.notHosted(topic, asked.partitionIndex()).code()));
                return;
            }
            host.deleteRecords(
                    asked.offset(),
                    Math.max(0, timeoutMs),
                    (error, lowWatermark) -> gather.done(() ->
                            row.setErrorCode(ReplicaErrors.onWire(error).code()).setLowWatermark(lowWatermark)));
        });
    }
}
