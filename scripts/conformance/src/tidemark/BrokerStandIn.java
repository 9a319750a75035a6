package io.tidemark.conformance;

import static org.mockito.Mockito.mock;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import kafka.network.SocketServer;
import kafka.server.KafkaBroker;
import kafka.server.KafkaConfig;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;

/**
 * Stands where tests expect Kafka's broker object: can be stopped and started, tells its port (as its socket server does,
 * too), the test's properties, and what metadata it acts on. Anything else is Kafka's inside.
 */
final class BrokerStandIn {
    private final int id;
    private final TidemarkCluster cluster;
    private final Insides insides;
    private final KafkaConfig config;

    private BrokerStandIn(int id, TidemarkCluster cluster, Insides insides) {
        this.id = id;
        this.config = new KafkaConfig(cluster.kafkaProperties(id), false);
        this.cluster = cluster;
        this.insides = insides;
    }

    static KafkaBroker of(int id, TidemarkCluster cluster, Insides insides) {
        BrokerStandIn standIn = new BrokerStandIn(id, cluster, insides);
        return proxy(
                KafkaBroker.class, (proxy, method, arguments) -> standIn.broker(method.getName(), proxy, arguments));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Object broker(String method, Object proxy, Object[] arguments) {
        switch (method) {
            case "shutdown" -> cluster.stopBroker(id);
            case "startup" -> cluster.startBroker(id);
            case "awaitShutdown" -> {
                // A stop returns when the broker is down.
            }
            case "isShutdown" -> {
                return !running();
            }
            case "brokerState" -> {
                return running()
                        ? org.apache.kafka.metadata.BrokerState.RUNNING
                        : org.apache.kafka.metadata.BrokerState.NOT_RUNNING;
            }
            case "clusterId" -> {
                return cluster.clusterId();
            }
            case "config" -> {
                return config;
            }
            case "groupCoordinator" -> {
                return proxy(GroupCoordinator.class, (coordinator, called, parameters) ->
                        coordinator(called.getName(), coordinator, parameters));
            }
            case "boundPort" -> {
                return cluster.ports().get(id);
            }
            case "socketServer" -> {
                return mock(SocketServer.class, call -> {
                    if (call.getMethod().getName().equals("boundPort")) {
                        return cluster.ports().get(id);
                    }
                    throw insides.reach("SocketServer." + call.getMethod().getName());
                });
            }
            case "metadataCache" -> {
                return proxy(
                        MetadataCache.class,
                        (cache, called, parameters) -> metadata(called.getName(), cache, parameters));
            }
            default -> {
                return object("KafkaBroker", method, proxy, arguments);
            }
        }
        return null;
    }

    private Object coordinator(String method, Object proxy, Object[] arguments) {
        // What the topic of the offsets is created with is the creator's choice to Tidemark.
        return method.equals("groupMetadataTopicConfigs")
                ? new Properties()
                : object("GroupCoordinator", method, proxy, arguments);
    }

    private Object metadata(String method, Object proxy, Object[] arguments) {
        ClusterImage image = cluster.image(id);
        return switch (method) {
            case "numPartitions" ->
                topic(image, arguments[0]).map(topic -> topic.partitions().size());
            case "getLeaderAndIsr" ->
                topic(image, arguments[0])
                        .map(topic -> topic.partition((Integer) arguments[1]))
                        .map(partition -> new LeaderAndIsr(
                                partition.leader(),
                                partition.leaderEpoch(),
                                List.copyOf(partition.isr()),
                                org.apache.kafka.metadata.LeaderRecoveryState.RECOVERED,
                                partition.partitionEpoch()));
            case "hasAliveBroker" ->
                Optional.ofNullable(image.broker((Integer) arguments[0]))
                        .filter(BrokerState::active)
                        .isPresent();
            case "isBrokerFenced" ->
                Optional.ofNullable(image.broker((Integer) arguments[0]))
                        .filter(BrokerState::fenced)
                        .isPresent();
            default -> object("MetadataCache", method, proxy, arguments);
        };
    }

    private Object object(String type, String method, Object proxy, Object[] arguments) {
        return switch (method) {
            case "toString" -> "broker " + id;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            default -> throw insides.reach(type + "." + method);
        };
    }

    private boolean running() {
        return cluster.running().contains(id);
    }

    private static Optional<TopicState> topic(ClusterImage image, Object name) {
        return Optional.ofNullable(image.topic((String) name));
    }

    /** All of a cluster. */
    static Map<Integer, KafkaBroker> all(Iterable<Integer> ids, TidemarkCluster cluster, Insides insides) {
        Map<Integer, KafkaBroker> brokers = new TreeMap<>();
        ids.forEach(id -> brokers.put(id, of(id, cluster, insides)));
        return brokers;
    }
}
