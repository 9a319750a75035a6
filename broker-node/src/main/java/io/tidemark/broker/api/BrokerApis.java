package io.tidemark.broker.api;

import io.tidemark.broker.runtime.MetadataWaiter;
import io.tidemark.broker.runtime.QuorumPort;
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
     * @param autoCreateTopics with {@code defaultPartitions} and {@code defaultReplicationFactor}
     * @param config the broker's own configuration under Kafka's keys, as far as it may be shown
     */
    public record Environment(
            String clusterId,
            int brokerId,
            LongSupplier brokerEpoch,
            Supplier<ClusterImage> image,
            QuorumPort quorum,
            MetadataWaiter waiter,
            boolean autoCreateTopics,
            int defaultPartitions,
            int defaultReplicationFactor,
            Map<String, String> config) {
        public Environment {
            config = Map.copyOf(config);
        }
    }

    public static ApiDispatcher.Builder register(ApiDispatcher.Builder apis, Environment broker) {
        TopicAutoCreation autoCreation = new TopicAutoCreation(
                broker.quorum(),
                broker.autoCreateTopics(),
                broker.defaultPartitions(),
                broker.defaultReplicationFactor());
        return apis.register(ApiKeys.METADATA, new MetadataHandler(broker.image(), broker.clusterId(), autoCreation))
                .register(ApiKeys.DESCRIBE_CLUSTER, new DescribeClusterHandler(broker.image(), broker.clusterId()));
    }
}
