package io.tidemark.broker.app;

import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.RecordConfig;
import io.tidemark.model.metadata.BrokerKeys;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The broker's configuration under Kafka's keys, as DescribeConfigs shows it; nothing in it is secret. */
final class ShownConfig {
    private ShownConfig() {}

    static Map<String, String> of(BrokerConfig config) {
        Map<String, String> shown = new TreeMap<>();
        shown.put("node.id", String.valueOf(config.nodeId()));
        shown.put("broker.rack", config.rack().orElse(""));
        shown.put("replica.selector.class", config.replicaSelector().className());
        shown.put("log.dirs", config.directory().toString());
        shown.put("num.partitions", String.valueOf(config.topicDefaults().partitions()));
        shown.put(
                "default.replication.factor",
                String.valueOf(config.topicDefaults().replicationFactor()));
        shown.put("min.insync.replicas", String.valueOf(config.topicDefaults().minInsyncReplicas()));
        shown.put(
                "auto.create.topics.enable",
                String.valueOf(config.autoTopicCreation().enabled()));
        shown.put("num.network.threads", String.valueOf(config.network().loops()));
        shown.put(BrokerKeys.CONNECTIONS, String.valueOf(config.network().maxConnections()));
        shown.put(BrokerKeys.CONNECTIONS_PER_IP, String.valueOf(config.network().maxConnectionsPerIp()));
        shown.put(BrokerKeys.CONNECTIONS_PER_IP_OVERRIDES, overrides(config));
        shown.put(BrokerKeys.CONNECTION_RATE, String.valueOf(config.network().connectionCreationRate()));
        shown.put("socket.request.max.bytes", String.valueOf(config.network().requestMaxBytes()));
        shown.put("replica.lag.time.max.ms", String.valueOf(config.replication().lagTimeMaxMs()));
        shown.put(
                "replica.fetch.wait.max.ms", String.valueOf(config.replication().fetchWaitMaxMs()));
        shown.put("replica.fetch.max.bytes", String.valueOf(config.replication().fetchMaxBytes()));
        shown.put(
                "broker.heartbeat.interval.ms", String.valueOf(config.session().heartbeatIntervalMs()));
        shown.put("broker.session.timeout.ms", String.valueOf(config.session().sessionTimeoutMs()));
        shown.put("log.segment.bytes", String.valueOf(config.log().segmentBytes()));
        shown.put("log.roll.ms", String.valueOf(config.log().rollMs()));
        shown.put("log.retention.ms", String.valueOf(config.log().retentionMs()));
        shown.put("log.retention.bytes", String.valueOf(config.log().retentionBytes()));
        shown.put(BrokerKeys.PRODUCER_EXPIRATION, String.valueOf(config.log().producerIdExpirationMs()));
        shown.put("message.max.bytes", String.valueOf(config.log().messageMaxBytes()));
        RecordConfig records = config.log().records();
        shown.put("compression.type", records.compression());
        shown.put("log.cleanup.policy", records.cleanupPolicy());
        shown.put("log.message.timestamp.type", records.timestampType());
        shown.put("log.message.timestamp.before.max.ms", String.valueOf(records.timestampBeforeMaxMs()));
        shown.put("log.message.timestamp.after.max.ms", String.valueOf(records.timestampAfterMaxMs()));
        return shown;
    }

    private static String overrides(BrokerConfig config) {
        return config.network().maxConnectionsPerIpOverrides().entrySet().stream()
                .map(entry -> entry.getKey().getHostAddress() + ":" + entry.getValue())
                .sorted()
                .collect(Collectors.joining(","));
    }
}
