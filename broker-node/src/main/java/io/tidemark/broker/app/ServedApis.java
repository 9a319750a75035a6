package io.tidemark.broker.app;

import io.tidemark.broker.api.ApiDispatcher;
import io.tidemark.broker.api.BrokerApis;
import io.tidemark.broker.api.DeleteRecordsHandler;
import io.tidemark.broker.api.DescribeLogDirsHandler;
import io.tidemark.broker.api.DescribeProducersHandler;
import io.tidemark.broker.api.EpochEndHandler;
import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.api.GroupApis;
import io.tidemark.broker.api.ListOffsetsHandler;
import io.tidemark.broker.api.ProduceHandler;
import io.tidemark.broker.group.Groups;
import io.tidemark.broker.quorum.QuorumLink;
import io.tidemark.broker.runtime.MetadataPublisher;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.ReplicaSelector;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.kafka.common.protocol.ApiKeys;

/** Who answers which request on a broker's listeners. */
final class ServedApis {
    private ServedApis() {}

    static FetchHandler fetches(BrokerConfig config, MetadataPublisher publisher, Partitions partitions) {
        return new FetchHandler(
                publisher::image,
                partitions,
                config.listeners().interBrokerName(),
                config.network().fetchSessionSlots(),
                config.network().fetchMaxBytes(),
                config.replicaSelector() == ReplicaSelector.RACK_AWARE);
    }

    /**
     * @param brokerEpoch -1 before the registration
     * @param blocking threads for what reads directories
     */
    static ApiDispatcher all(
            BrokerConfig config,
            NodeDirectory node,
            LongSupplier brokerEpoch,
            MetadataPublisher publisher,
            QuorumLink link,
            Groups groups,
            Partitions partitions,
            FetchHandler fetches,
            Executor blocking) {
        ApiDispatcher.Builder builder =
                GroupApis.register(new ApiDispatcher.Builder(), publisher::image, config.nodeId(), groups);
        return BrokerApis.register(
                        builder,
                        new BrokerApis.Environment(
                                node.clusterId(),
                                config.nodeId(),
                                brokerEpoch,
                                publisher::image,
                                link,
                                link,
                                publisher,
                                config.autoTopicCreation(),
                                config.topicDefaults().partitions(),
                                groups.configs(),
                                ShownConfig.of(config)))
                .register(ApiKeys.PRODUCE, new ProduceHandler(publisher::image, partitions))
                .register(ApiKeys.FETCH, fetches)
                .register(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(publisher::image, partitions))
                .register(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(publisher::image, partitions))
                .register(ApiKeys.DESCRIBE_LOG_DIRS, new DescribeLogDirsHandler(partitions, node.path(), blocking))
                .register(ApiKeys.DESCRIBE_PRODUCERS, new DescribeProducersHandler(publisher::image, partitions))
                .register(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new EpochEndHandler(publisher::image, partitions))
                .build();
    }
}
