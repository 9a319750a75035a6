package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.metadata.PartitionState;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.NoReassignmentInProgressException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions move to other brokers while they are written and read, and what moves can be called back. */
class ReassignmentTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @Test
    void aPartitionMovesWithEveryRecord(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 4, 2_000, Map.of("log.durability", "fsync"));
                Admin admin = GroupClients.admin(cluster)) {
            admin.createTopics(List.of(new NewTopic("orders", Map.of(0, List.of(1, 2, 3)))))
                    .all()
                    .get(20, TimeUnit.SECONDS);
            cluster.awaitIsr("orders", 0, 3);
            GroupClients.produce(cluster, "orders", 1, 0, 100);
            reassign(admin, 4, 2);
            PartitionState moved = settled(cluster, admin);
            assertThat(moved.replicas()).containsExactly(4, 2);
            assertThat(moved.isr()).containsExactlyInAnyOrder(4, 2);
            assertThat(moved.leader()).isEqualTo(4);
            assertThat(Scrape.sum(ports(cluster), "kafka_server_brokertopicmetrics_reassignmentbytesin_total"))
                    .isPositive();
            assertThat(Scrape.sum(ports(cluster), "kafka_server_brokertopicmetrics_reassignmentbytesout_total"))
                    .isPositive()
                    .isLessThan(
                            Scrape.sum(ports(cluster), "kafka_server_brokertopicmetrics_replicationbytesout_total"));
            GroupClients.produce(cluster, "orders", 1, 100, 200);
            assertThat(count(cluster)).isEqualTo(200);
            for (int gone : List.of(1, 3)) {
                Awaitility.await()
                        .atMost(BrokerCluster.PATIENCE)
                        .untilAsserted(() -> assertThat(logsOf(cluster, gone)).isEmpty());
            }
            assertThat(logsOf(cluster, 4)).isNotEmpty();
            throttled(cluster, admin);
            calledBack(cluster, admin);
        }
    }

    private static List<Integer> ports(BrokerCluster cluster) {
        return IntStream.rangeClosed(1, 4).map(cluster::healthPort).boxed().toList();
    }

    /** R4.23: at a rate of nothing, of the leader or of the follower, nothing is copied, while those in the ISR go on. */
    private void throttled(BrokerCluster cluster, Admin admin) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "orders");
        set(admin, topic, "leader.replication.throttled.replicas", "0:4,0:2");
        set(admin, topic, "follower.replication.throttled.replicas", "0:1");
        copiesOnlyWithoutRate(cluster, admin, 4, "leader.replication.throttled.rate", 1);
        copiesOnlyWithoutRate(cluster, admin, 1, "follower.replication.throttled.rate", 1);
        set(admin, topic, "follower.replication.throttled.replicas", "*");
    }

    private void copiesOnlyWithoutRate(BrokerCluster cluster, Admin admin, int throttled, String key, int target)
            throws Exception {
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(throttled));
        set(admin, broker, key, "0");
        reassign(admin, 4, 2, target);
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .untilAsserted(() -> assertThat(logsOf(cluster, target)).isNotEmpty());
        GroupClients.produce(cluster, "orders", 1, 0, 100);
        assertThat(cluster.partition("orders", 0).isr()).containsExactlyInAnyOrder(4, 2);
        assertThat(bytesOf(cluster, target)).isZero();
        set(admin, broker, key, null);
        assertThat(settled(cluster, admin).isr()).containsExactlyInAnyOrder(4, 2, target);
        assertThat(bytesOf(cluster, target)).isPositive();
        reassign(admin, 4, 2);
        settled(cluster, admin);
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .untilAsserted(() -> assertThat(logsOf(cluster, target)).isEmpty());
    }

    private static void set(Admin admin, ConfigResource resource, String key, String value) throws Exception {
        AlterConfigOp.OpType kind = value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET;
        admin.incrementalAlterConfigs(Map.of(resource, List.of(new AlterConfigOp(new ConfigEntry(key, value), kind))))
                .all()
                .get(20, TimeUnit.SECONDS);
    }

    private static long bytesOf(BrokerCluster cluster, int broker) throws Exception {
        try (Stream<Path> files = Files.walk(cluster.directory(broker))) {
            return files.filter(file -> file.toString().contains("orders-0")
                            && file.toString().endsWith(".log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    /** The target is a broker that is not there, so the move cannot end by itself. */
    private void calledBack(BrokerCluster cluster, Admin admin) throws Exception {
        cluster.stop(3);
        reassign(admin, 4, 3);
        assertThat(admin.listPartitionReassignments().reassignments().get(20, TimeUnit.SECONDS))
                .hasEntrySatisfying(ORDERS, move -> {
                    assertThat(move.replicas()).containsExactly(4, 3, 2);
                    assertThat(move.addingReplicas()).containsExactly(3);
                    assertThat(move.removingReplicas()).containsExactly(2);
                });
        admin.alterPartitionReassignments(Map.of(ORDERS, Optional.empty()))
                .all()
                .get(20, TimeUnit.SECONDS);
        PartitionState back = settled(cluster, admin);
        assertThat(back.replicas()).containsExactly(4, 2);
        assertThatThrownBy(() -> admin.alterPartitionReassignments(Map.of(ORDERS, Optional.empty()))
                        .all()
                        .get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(NoReassignmentInProgressException.class);
        GroupClients.produce(cluster, "orders", 1, 200, 210);
        assertThat(count(cluster)).isEqualTo(410);
    }

    private static void reassign(Admin admin, Integer... target) throws Exception {
        admin.alterPartitionReassignments(Map.of(ORDERS, Optional.of(new NewPartitionReassignment(List.of(target)))))
                .all()
                .get(20, TimeUnit.SECONDS);
    }

    private static PartitionState settled(BrokerCluster cluster, Admin admin) {
        Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> admin.listPartitionReassignments(Set.of(ORDERS))
                        .reassignments()
                        .get(20, TimeUnit.SECONDS)
                        .isEmpty());
        return cluster.partition("orders", 0);
    }

    private static int count(BrokerCluster cluster) {
        try (KafkaConsumer<String, String> consumer = GroupClients.consumer(cluster, "classic", "g", "earliest")) {
            consumer.assign(List.of(ORDERS));
            consumer.seekToBeginning(List.of(ORDERS));
            long end = consumer.endOffsets(List.of(ORDERS)).get(ORDERS);
            int[] count = new int[1];
            Awaitility.await().atMost(BrokerCluster.PATIENCE).until(() -> {
                count[0] += consumer.poll(Duration.ofMillis(100)).count();
                return consumer.position(ORDERS) >= end;
            });
            return count[0];
        }
    }

    /** Files and directories of that broker that are about the topic. */
    private static List<String> logsOf(BrokerCluster cluster, int broker) throws Exception {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(cluster.directory(broker))) {
            files.filter(file -> file.getFileName().toString().startsWith("orders-0"))
                    .forEach(file -> found.add(file.toString()));
        } catch (UncheckedIOException e) {
            found.add(e.toString()); // it is being deleted: look again
        }
        return found;
    }
}
