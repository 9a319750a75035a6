package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.message.DescribeProducersResponseData.TopicResponse;
import org.apache.kafka.common.requests.DescribeProducersRequest;
import org.apache.kafka.common.requests.DescribeProducersResponse;

/** DescribeProducers: what this broker's replica of a partition remembers of its producers, leader or not. */
public final class DescribeProducersHandler implements ApiHandler {
    private static final int NO_COORDINATOR = -1;

    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public DescribeProducersHandler(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public void handle(Call call) {
        DescribeProducersRequestData request = ((DescribeProducersRequest) call.body()).data();
        DescribeProducersResponseData response = new DescribeProducersResponseData();
        Gather gather = new Gather(
                partitions.loop(call.loopIndex()), () -> call.respond(new DescribeProducersResponse(response)));
        ClusterImage now = image.get();
        for (DescribeProducersRequestData.TopicRequest asked : request.topics()) {
            TopicState topic = now.topic(asked.name());
            TopicResponse rows = new TopicResponse().setName(asked.name());
            response.topics().add(rows);
            for (int partition : asked.partitionIndexes()) {
                PartitionResponse row = new PartitionResponse().setPartitionIndex(partition);
                rows.partitions().add(row);
                if (topic == null) {
                    row.setErrorCode(TopicNames.unknown(now).code());
                } else {
                    ask(topic, partition, row, gather);
                }
            }
        }
        gather.oneDone();
    }

    private void ask(TopicState topic, int partition, PartitionResponse row, Gather gather) {
        PartitionId id = TopicNames.partition(topic, partition);
        PartitionLoop loop = partitions.loopOf(id);
        gather.oneMore();
        loop.execute(() -> {
            PartitionHost host = loop.host(id);
            if (host == null) {
                gather.done(() ->
                        row.setErrorCode(TopicNames.notHosted(topic, partition).code()));
                return;
            }
            List<ProducerState> producers = new ArrayList<>();
            host.producers((producer, state) -> producers.add(new ProducerState()
                    .setProducerId(producer)
                    .setProducerEpoch(state.epoch())
                    .setLastSequence(state.lastSequence())
                    .setLastTimestamp(state.lastTimestamp())
                    .setCoordinatorEpoch(NO_COORDINATOR)
                    .setCurrentTxnStartOffset(state.openTransactionStart())));
            gather.done(() -> row.setActiveProducers(producers));
        });
    }
}
