package io.tidemark.broker.app;

import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.net.ConnectionSettings;
import io.tidemark.broker.net.NetSettings;
import io.tidemark.broker.peer.FollowerFetchers;
import io.tidemark.broker.peer.PeerSettings;
import io.tidemark.broker.quorum.LinkSettings;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.LogConfig;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.RecordConfig;
import java.util.function.LongSupplier;

/** What each part of a broker has to know of the broker's configuration. */
final class BrokerSettings {
    private BrokerSettings() {}

    /** Of topics that say nothing else. */
    static TopicSettings topicDefaults(BrokerConfig config) {
        RecordConfig records = config.log().records();
        return new TopicSettings(
                logs(config.log()),
                records.compression(),
                records.timestampType().equals("LogAppendTime"),
                records.timestampBeforeMaxMs(),
                records.timestampAfterMaxMs(),
                records.cleanupPolicy());
    }

    private static LogSettings logs(LogConfig log) {
        return new LogSettings(
                log.segmentBytes(),
                log.rollMs(),
                log.messageMaxBytes(),
                log.indexIntervalBytes(),
                LogSettings.DEFAULTS.storedIndexBytes(),
                log.flushIntervalBytes(),
                LogSettings.DEFAULTS.hotBytes(),
                log.producerIdExpirationMs(),
                log.retentionMs(),
                log.retentionBytes(),
                log.durability() == LogConfig.Durability.FSYNC);
    }

    static LinkSettings link(BrokerConfig config, String clusterId, QuorumRpc rpc) {
        return new LinkSettings("broker-" + config.nodeId(), config.voters(), clusterId, rpc, (int)
                config.session().heartbeatIntervalMs());
    }

    /** Before what the metadata says of them. */
    static ConnectionSettings connections(BrokerConfig config) {
        return new ConnectionSettings(
                config.network().maxConnections(),
                config.network().maxConnectionsPerIp(),
                config.network().maxConnectionsPerIpOverrides(),
                config.network().connectionCreationRate(),
                config.network().maxIdleMs(),
                config.listeners().interBrokerName());
    }

    static NetSettings net(BrokerConfig config) {
        return new NetSettings(
                config.network().loops(),
                config.network().requestMaxBytes(),
                config.network().maxInFlightRequests(),
                config.network().maxInFlightBytes());
    }

    static ReplicaSettings replicas(BrokerConfig config, LeaderLease lease) {
        return new ReplicaSettings(
                config.nodeId(),
                config.replication().lagTimeMaxMs(),
                50,
                500,
                config.replication().fetchBackoffMs(),
                20,
                lease);
    }

    static FollowerFetchers.Settings fetchers(BrokerConfig config, LongSupplier brokerEpoch) {
        return new FollowerFetchers.Settings(
                config.nodeId(),
                brokerEpoch,
                config.listeners().interBrokerName(),
                config.replication().fetchWaitMaxMs(),
                config.replication().fetchMinBytes(),
                config.replication().fetchMaxBytes(),
                config.replication().fetchResponseMaxBytes());
    }

    /** Of the connections to the leaders that this broker follows. */
    static PeerSettings peers(BrokerConfig config) {
        return new PeerSettings(
                "broker-" + config.nodeId() + "-fetcher",
                1_000,
                config.replication().fetchWaitMaxMs() + 10_000,
                config.network().requestMaxBytes());
    }
}
