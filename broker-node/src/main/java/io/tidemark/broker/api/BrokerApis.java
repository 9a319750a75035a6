package io.tidemark.broker.api;

import io.tidemark.broker.group.GroupConfigs;
import io.tidemark.broker.runtime.MetadataWaiter;
import io.tidemark.broker.runtime.QuorumMembership;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.config.AutoTopicCreation;
import io.tidemark.model.metadata.ClusterImage;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;

/** Registers the APIs that need no partition: what the cluster is, and how clients change it. */
public final class BrokerApis {
    private BrokerApis() {}

    /**
     * What these APIs know of their broker.
     *
     * @param image the cluster as this broker has applied it
     * @param brokerEpoch epoch of the registration, -1 before it
     * @param autoTopicCreation of topics that clients name
     * @param defaultPartitions how many partitions are reckoned for a topic whose creator leaves it to the controllers
     * @param groups the rules for the configuration of single groups
     * @param config the broker's own configuration under Kafka's keys, as far as it may be shown
     */
    public record Environment(
            String clusterId,
            int brokerId,
            LongSupplier brokerEpoch,
            Supplier<ClusterImage> image,
            QuorumPort quorum,
            QuorumMembership members,
            MetadataWaiter waiter,
            AutoTopicCreation autoTopicCreation,
            int defaultPartitions,
            GroupConfigs groups,
            Map<String, String> config) {
        public Environment {
            config = Map.copyOf(config);
        }
    }

    public static ApiDispatcher.Builder register(ApiDispatcher.Builder apis, Environment broker) {
        TopicAutoCreation autoCreation = new TopicAutoCreation(broker.quorum(), broker.autoTopicCreation());
        QuorumRequest quorum = new QuorumRequest(broker.quorum(), broker.waiter());
        TopicConfigs topicConfigs = new TopicConfigs(broker.brokerId(), broker.config());
        Supplier<ClusterImage> image = broker.image();
        AlterConfigsHandlers alterConfigs = new AlterConfigsHandlers(quorum, image, broker.groups());
        return apis.register(
                        ApiKeys.METADATA,
                        new MetadataHandler(image, broker.clusterId(), broker.brokerId(), autoCreation))
                .register(
                        ApiKeys.DESCRIBE_CLUSTER,
                        new DescribeClusterHandler(image, broker.clusterId(), broker.brokerId()))
                .register(
                        ApiKeys.DESCRIBE_TOPIC_PARTITIONS, new DescribeTopicPartitionsHandler(image, broker.brokerId()))
                .register(
                        ApiKeys.DESCRIBE_CONFIGS,
                        new DescribeConfigsHandler(
                                image, broker.brokerId(), broker.config(), topicConfigs, broker.groups()))
                .register(
                        ApiKeys.CREATE_TOPICS,
                        new CreateTopicsHandler(image, quorum, topicConfigs, broker.defaultPartitions()))
                .register(ApiKeys.DELETE_TOPICS, new DeleteTopicsHandler(quorum))
                .register(ApiKeys.INCREMENTAL_ALTER_CONFIGS, alterConfigs::incrementally)
                .register(ApiKeys.ALTER_CONFIGS, alterConfigs::wholly)
                .register(ApiKeys.LIST_CONFIG_RESOURCES, new ListConfigResourcesHandler(image))
                .register(ApiKeys.ELECT_LEADERS, new ElectLeadersHandler(image, quorum))
                .register(ApiKeys.DESCRIBE_QUORUM, new DescribeQuorumHandler(image, broker.members()))
                .register(ApiKeys.UPDATE_FEATURES, ClusterFeatures::update)
                .register(ApiKeys.UNREGISTER_BROKER, new UnregisterBrokerHandler(quorum))
                .register(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, new AlterPartitionReassignmentsHandler(image, quorum))
                .register(ApiKeys.LIST_PARTITION_REASSIGNMENTS, new ListPartitionReassignmentsHandler(image))
                .register(ApiKeys.CREATE_PARTITIONS, new CreatePartitionsHandler(image, quorum))
                .register(
                        ApiKeys.INIT_PRODUCER_ID,
                        new InitProducerIdHandler(
                                new ProducerIdSource(broker.quorum(), broker.brokerId(), broker.brokerEpoch())));
    }
}
