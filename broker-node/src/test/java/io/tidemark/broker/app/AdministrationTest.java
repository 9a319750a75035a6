package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator changes while the cluster runs takes effect on every broker. */
class AdministrationTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @Test
    void recordsConfigurationsAndLeadersChangeByRequest(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 2_000, Map.of());
                Admin admin = GroupClients.admin(cluster)) {
            GroupClients.createTopic(cluster, "orders", 1, 3);
            GroupClients.produce(cluster, "orders", 1, 0, 10);
            recordsAreDeleted(cluster, admin);
            theConfigurationChanges(cluster, admin);
            theRecoveryStrategyIsATopicsToo(cluster, admin);
            connectionsAreLimited(cluster, admin);
            theFirstReplicaLeadsAgain(cluster, admin);
        }
    }

    private void recordsAreDeleted(BrokerCluster cluster, Admin admin) throws Exception {
        long low = admin.deleteRecords(Map.of(ORDERS, RecordsToDelete.beforeOffset(4)))
                .lowWatermarks()
                .get(ORDERS)
                .get(20, TimeUnit.SECONDS)
                .lowWatermark();
        assertThat(low).isEqualTo(4);
        try (KafkaConsumer<String, String> consumer = GroupClients.consumer(cluster, "classic", "g", "earliest")) {
            assertThat(consumer.beginningOffsets(Set.of(ORDERS))).containsEntry(ORDERS, 4L);
        }
        assertThatThrownBy(() -> admin.deleteRecords(Map.of(ORDERS, RecordsToDelete.beforeOffset(11)))
                        .all()
                        .get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OffsetOutOfRangeException.class);
    }

    private void theConfigurationChanges(BrokerCluster cluster, Admin admin) throws Exception {
        set(admin, "cleanup.policy", "compact");
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(
                                () -> admin.deleteRecords(Map.of(ORDERS, RecordsToDelete.beforeOffset(5)))
                                        .all()
                                        .get(20, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(PolicyViolationException.class));
        set(admin, "min.insync.replicas", "2");
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.partition("orders", 0).minIsr() == 2);
    }

    /** A key that Kafka's classes do not know. */
    private void theRecoveryStrategyIsATopicsToo(BrokerCluster cluster, Admin admin) throws Exception {
        String key = "unclean.recovery.strategy";
        set(admin, key, "none");
        ConfigResource orders = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
        Awaitility.await().atMost(BrokerCluster.PATIENCE).untilAsserted(() -> {
            ConfigEntry told = admin.describeConfigs(List.of(orders))
                    .all()
                    .get(20, TimeUnit.SECONDS)
                    .get(orders)
                    .get(key);
            assertThat(told).isNotNull();
            assertThat(told.value()).isEqualTo("none");
            assertThat(told.source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
        });
        assertThatThrownBy(() -> set(admin, key, "hopeful")).hasCauseInstanceOf(InvalidConfigurationException.class);
        NewTopic cautious = new NewTopic("cautious", 1, (short) 3).configs(Map.of(key, "none"));
        admin.createTopics(List.of(cautious)).all().get(20, TimeUnit.SECONDS);
        assertThat(cluster.image().configs(io.tidemark.model.metadata.ConfigResource.topic("orders")))
                .containsEntry(key, "none");
    }

    /** Of the whole cluster, while it runs, for an address that nobody else comes from. */
    private void connectionsAreLimited(BrokerCluster cluster, Admin admin) throws Exception {
        InetAddress stranger = InetAddress.getByName("127.0.0.2");
        int port = cluster.image().broker(2).endpoints().get(0).port();
        try (Socket let = connectionFrom(stranger, port)) {
            assertThatThrownBy(() -> let.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        }
        ConfigResource all = new ConfigResource(ConfigResource.Type.BROKER, "");
        AlterConfigOp shut =
                new AlterConfigOp(new ConfigEntry("max.connections.per.ip.overrides", "127.0.0.2:0"), OpType.SET);
        admin.incrementalAlterConfigs(Map.of(all, List.of(shut))).all().get(20, TimeUnit.SECONDS);
        Awaitility.await().atMost(BrokerCluster.PATIENCE).until(() -> {
            try (Socket refused = connectionFrom(stranger, port)) {
                return refused.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (SocketException e) {
                return true;
            }
        });
        ConfigResource second = new ConfigResource(ConfigResource.Type.BROKER, "2");
        ConfigEntry told = admin.describeConfigs(List.of(second))
                .all()
                .get(20, TimeUnit.SECONDS)
                .get(second)
                .get("max.connections.per.ip.overrides");
        assertThat(told.value()).isEqualTo("127.0.0.2:0");
        assertThat(told.isReadOnly()).isFalse();
        assertThat(told.source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
    }

    private static Socket connectionFrom(InetAddress local, int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, local, 0);
        socket.setSoTimeout(300);
        return socket;
    }

    private static void set(Admin admin, String key, String value) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry(key, value), OpType.SET);
        admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get(20, TimeUnit.SECONDS);
    }

    private void theFirstReplicaLeadsAgain(BrokerCluster cluster, Admin admin) throws Exception {
        int first = cluster.partition("orders", 0).replicas().get(0);
        cluster.stop(first);
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.partition("orders", 0).leader() != first);
        cluster.start(first);
        cluster.awaitIsr("orders", 0, 3);
        admin.electLeaders(ElectionType.PREFERRED, Set.of(ORDERS)).all().get(20, TimeUnit.SECONDS);
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.partition("orders", 0).leader() == first);
    }
}
