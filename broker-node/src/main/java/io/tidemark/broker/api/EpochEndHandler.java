package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.function.Supplier;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochRequest;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;

/** OffsetsForLeaderEpoch: where an epoch ends at its partition's leader (R4.50). */
public final class EpochEndHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public EpochEndHandler(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public void handle(Call call) {
        OffsetsForLeaderEpochRequest request = (OffsetsForLeaderEpochRequest) call.body();
        PartitionLoop home = partitions.loop(call.loopIndex());
        home.refreshTime();
        OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        Gather gather = new Gather(home, () -> call.respond(new OffsetsForLeaderEpochResponse(response)));
        ClusterImage current = image.get();
        for (OffsetForLeaderEpochRequestData.OffsetForLeaderTopic topicRow :
                request.data().topics()) {
            TopicState topic = current.topic(topicRow.topic());
            OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult rows =
                    new OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult().setTopic(topicRow.topic());
            response.topics().add(rows);
            for (OffsetForLeaderEpochRequestData.OffsetForLeaderPartition asked : topicRow.partitions()) {
                OffsetForLeaderEpochResponseData.EpochEndOffset row =
                        new OffsetForLeaderEpochResponseData.EpochEndOffset()
                                .setPartition(asked.partition())
                                .setLeaderEpoch(-1)
                                .setEndOffset(-1);
                rows.partitions().add(row);
                if (topic == null) {
                    row.setErrorCode(TopicNames.unknown(current).code());
                } else {
                    ask(topic, asked, row, gather);
                }
            }
        }
        gather.oneDone();
    }

    private void ask(
            TopicState topic,
            OffsetForLeaderEpochRequestData.OffsetForLeaderPartition asked,
            OffsetForLeaderEpochResponseData.EpochEndOffset row,
            Gather gather) {
        PartitionId id = TopicNames.partition(topic, asked.partition());
        PartitionLoop loop = partitions.loopOf(id);
        gather.oneMore();
        loop.execute(() -> {
            PartitionHost host = loop.host(id);
            if (host == null) {
                gather.done(() -> row.setErrorCode(
                        TopicNames.notHosted(topic, asked.partition()).code()));
                return;
            }
            ReplicaEvent.EpochQuery query =
                    new ReplicaEvent.EpochQuery(loop.nextToken(), asked.currentLeaderEpoch(), asked.leaderEpoch());
            host.ask(
                    query,
                    (effect, failure) -> gather.done(() -> {
                        ReplicaError error =
                                failure != ReplicaError.NONE ? failure : ((Effect.EpochFound) effect).error();
                        row.setErrorCode(ReplicaErrors.onWire(error).code());
                        if (error == ReplicaError.NONE) {
                            Effect.EpochFound found = (Effect.EpochFound) effect;
                            row.setLeaderEpoch(found.epoch()).setEndOffset(found.endOffset());
                        }
                    }));
        });
    }
}
