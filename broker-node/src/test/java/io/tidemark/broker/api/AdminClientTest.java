package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.tidemark.model.metadata.MetadataRecord;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.DescribeMetadataQuorumOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka's own admin client against the handlers over real sockets. */
class AdminClientTest {
    private TestBroker broker;
    private Admin admin;

    @BeforeEach
    void start() throws IOException {
        broker = new TestBroker();
        admin = client();
    }

    private Admin client() {
        return Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000",
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "20000"));
    }

    @AfterEach
    void stop() {
        admin.close();
        broker.close();
        assertThat(broker.failures).isEmpty();
    }

    @Test
    void describesTheCluster() throws Exception {
        DescribeClusterResult cluster = admin.describeCluster();
        assertThat(cluster.clusterId().get()).isEqualTo("test-cluster");
        assertThat(cluster.controller().get().id()).isEqualTo(1);
        assertThat(cluster.nodes().get()).containsExactly(new Node(1, "127.0.0.1", broker.port, "r1"));
    }

    @Test
    void describesTheQuorum() throws Exception {
        QuorumInfo quorum = admin.describeMetadataQuorum().quorumInfo().get();
        assertThat(quorum.leaderId()).isEqualTo(101);
        assertThat(quorum.leaderEpoch()).isEqualTo(7);
        assertThat(quorum.highWatermark()).isEqualTo(41);
        assertThat(quorum.voters())
                .extracting(QuorumInfo.ReplicaState::replicaId, QuorumInfo.ReplicaState::logEndOffset)
                .containsExactly(tuple(101, 42L), tuple(102, -1L));
        assertThat(quorum.voters().get(0).lastCaughtUpTimestamp()).hasValue(5_000);
        assertThat(quorum.voters().get(1).lastFetchTimestamp()).isEmpty();
        assertThat(quorum.observers())
                .extracting(QuorumInfo.ReplicaState::replicaId, QuorumInfo.ReplicaState::logEndOffset)
                .containsExactly(tuple(1, 40L));
        assertThat(quorum.observers().get(0).lastFetchTimestamp()).hasValue(4_500);
        assertThat(quorum.observers().get(0).lastCaughtUpTimestamp()).hasValue(4_000);
        assertThat(quorum.nodes().get(102).endpoints())
                .singleElement()
                .satisfies(endpoint ->
                        assertThat(endpoint.host() + ":" + endpoint.port()).isEqualTo("two:19102"));
    }

    @Test
    void aQuorumWithoutAnActingControllerIsATimeoutToTheAdministrator() {
        broker.quorum.silence();
        DescribeMetadataQuorumOptions quick = new DescribeMetadataQuorumOptions().timeoutMs(500);
        assertThatThrownBy(
                        () -> admin.describeMetadataQuorum(quick).quorumInfo().get())
                .hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void createsDescribesListsGrowsAndDeletesTopics() throws Exception {
        NewTopic topic = new NewTopic("orders", 4, (short) 1).configs(Map.of("retention.ms", "1000"));
        CreateTopicsResult created = admin.createTopics(List.of(topic, new NewTopic("other", 1, (short) 1)));
        created.all().get();
        assertThat(created.numPartitions("orders").get()).isEqualTo(4);
        assertThat(created.replicationFactor("orders").get()).isEqualTo(1);
        assertThat(created.config("orders").get().get("retention.ms").value()).isEqualTo("1000");
        assertThat(admin.listTopics().names().get()).containsExactlyInAnyOrder("orders", "other");

        TopicDescription described =
                admin.describeTopics(List.of("orders")).allTopicNames().get().get("orders");
        assertThat(described.topicId()).isEqualTo(created.topicId("orders").get());
        assertThat(described.partitions()).hasSize(4);
        assertThat(described.partitions().get(3).leader().id()).isEqualTo(1);
        assertThat(described.partitions().get(3).isr()).hasSize(1);
        assertThat(admin.describeTopics(TopicCollection.ofTopicIds(List.of(described.topicId())))
                        .allTopicIds()
                        .get()
                        .get(described.topicId())
                        .name())
                .isEqualTo("orders");

        admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(6)))
                .all()
                .get();
        assertThat(admin.describeTopics(List.of("orders"))
                        .allTopicNames()
                        .get()
                        .get("orders")
                        .partitions())
                .hasSize(6);

        admin.deleteTopics(List.of("orders")).all().get();
        assertThat(admin.listTopics().names().get()).containsExactly("other");
        Uuid other = created.topicId("other").get();
        admin.deleteTopics(TopicCollection.ofTopicIds(List.of(other))).all().get();
        assertThat(admin.listTopics().names().get()).isEmpty();
    }

    @Test
    void tellsTheQuorumsErrorsRowByRow() throws Exception {
        admin.createTopics(List.of(new NewTopic("a", 1, (short) 1))).all().get();
        CreateTopicsResult again = admin.createTopics(List.of(
                new NewTopic("a", 1, (short) 1), new NewTopic("b", 1, (short) 5), new NewTopic("c", 1, (short) 1)));
        assertThat(failure(again.values().get("a"))).isInstanceOf(TopicExistsException.class);
        assertThat(failure(again.values().get("b"))).isInstanceOf(InvalidReplicationFactorException.class);
        again.values().get("c").get();
        assertThat(failure(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(1)))
                        .all()))
                .isInstanceOf(InvalidPartitionsException.class);
        assertThat(failure(admin.deleteTopics(List.of("none")).all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void refusesWithoutAskingTheQuorum() {
        Map<NewTopic, Class<? extends Exception>> refused = new LinkedHashMap<>();
        refused.put(new NewTopic("no/slash", 1, (short) 1), InvalidTopicException.class);
        refused.put(new NewTopic("..", 1, (short) 1), InvalidTopicException.class);
        refused.put(new NewTopic("zero", 0, (short) 1), InvalidPartitionsException.class);
        refused.put(new NewTopic("negative", -5, (short) 1), InvalidPartitionsException.class);
        refused.put(new NewTopic("factor", 1, (short) 0), InvalidReplicationFactorException.class);
        refused.put(new NewTopic("million", 1_000_000, (short) 1), PolicyViolationException.class);
        refused.put(new NewTopic("twice", Map.of(0, List.of(1, 1))), InvalidReplicaAssignmentException.class);
        refused.put(new NewTopic("gap", Map.of(0, List.of(1), 2, List.of(1))), InvalidReplicaAssignmentException.class);
        refused.put(
                new NewTopic("key", 1, (short) 1).configs(Map.of("retention.mss", "1")),
                InvalidConfigurationException.class);
        refused.put(
                new NewTopic("value", 1, (short) 1).configs(Map.of("min.insync.replicas", "0")),
                InvalidConfigurationException.class);
        refused.put(
                new NewTopic("tiered", 1, (short) 1).configs(Map.of("remote.storage.enable", "true")),
                InvalidConfigurationException.class);
        refused.forEach((topic, error) -> assertThat(
                        failure(admin.createTopics(List.of(topic)).all()))
                .as(topic.toString())
                .isInstanceOf(error));
        assertThat(failure(admin.createPartitions(Map.of("x", NewPartitions.increaseTo(20_000)))
                        .all()))
                .isInstanceOf(PolicyViolationException.class);
        assertThat(failure(admin.createPartitions(Map.of("x", NewPartitions.increaseTo(0)))
                        .all()))
                .isInstanceOf(InvalidPartitionsException.class);
        assertThat(broker.quorum.commands).isEmpty();
    }

    @Test
    void validationOnlyCreatesNothing() throws Exception {
        admin.createTopics(List.of(new NewTopic("v", 2, (short) 1)), new CreateTopicsOptions().validateOnly(true))
                .all()
                .get();
        assertThat(admin.listTopics().names().get()).isEmpty();
    }

    @Test
    void describesConfigsWithTheirSources() throws Exception {
        admin.createTopics(List.of(new NewTopic("t", 1, (short) 1).configs(Map.of("segment.bytes", "2097152"))))
                .all()
                .get();
        broker.quorum.apply(new MetadataRecord.ConfigSet(
                io.tidemark.model.metadata.ConfigResource.CLUSTER_DEFAULT, "min.insync.replicas", "2"));
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
        ConfigResource self = new ConfigResource(ConfigResource.Type.BROKER, "1");
        Map<ConfigResource, Config> configs =
                admin.describeConfigs(List.of(topic, self)).all().get();
        Config ofTopic = configs.get(topic);
        assertThat(ofTopic.get("segment.bytes").value()).isEqualTo("2097152");
        assertThat(ofTopic.get("segment.bytes").source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(ofTopic.get("min.insync.replicas").value()).isEqualTo("2");
        assertThat(ofTopic.get("min.insync.replicas").source())
                .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        // log.retention.hours=24 in the broker's file, in the unit of the topic's key
        assertThat(ofTopic.get("retention.ms").value()).isEqualTo("86400000");
        assertThat(ofTopic.get("retention.ms").source()).isEqualTo(ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG);
        assertThat(ofTopic.get("cleanup.policy").isDefault()).isTrue();
        assertThat(configs.get(self).get("num.partitions").value()).isEqualTo("3");
        assertThat(failure(admin.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.TOPIC, "none")))
                        .all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void aBrokersDynamicValuesAreDescribedAndCanBeChanged() throws Exception {
        admin.createTopics(List.of(new NewTopic("t", 1, (short) 1))).all().get();
        broker.quorum.apply(
                new MetadataRecord.ConfigSet(
                        io.tidemark.model.metadata.ConfigResource.CLUSTER_DEFAULT, "log.retention.ms", "7"),
                new MetadataRecord.ConfigSet(
                        io.tidemark.model.metadata.ConfigResource.broker(1), "log.retention.ms", "5"));
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "t");
        ConfigResource self = new ConfigResource(ConfigResource.Type.BROKER, "1");
        Map<ConfigResource, Config> configs =
                admin.describeConfigs(List.of(topic, self)).all().get();
        ConfigEntry ofTopic = configs.get(topic).get("retention.ms");
        assertThat(ofTopic.value()).isEqualTo("5");
        assertThat(ofTopic.source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertThat(configs.get(self).get("log.retention.ms").isReadOnly()).isFalse();
        assertThat(configs.get(self).get("num.partitions").isReadOnly()).isTrue();
    }

    @Test
    void anAnswerWaitsForTheBrokersOwnImage() throws Exception {
        broker.quorum.stopFeed();
        KafkaFuture<Void> created =
                admin.createTopics(List.of(new NewTopic("late", 1, (short) 1))).all();
        await().until(() -> !broker.quorum.commands.isEmpty());
        try (Admin other = client()) {
            assertThat(other.listTopics().names().get()).isEmpty();
        }
        assertThat(created.isDone()).isFalse();
        broker.quorum.resumeFeed();
        created.get();
        assertThat(admin.listTopics().names().get()).containsExactly("late");
    }

    @Test
    void voidEntriesAreTriedAgain() throws Exception {
        broker.quorum.voidNext(3);
        admin.createTopics(List.of(new NewTopic("after", 1, (short) 1))).all().get();
        assertThat(broker.quorum.commands).hasSize(4);
    }

    private static Throwable failure(KafkaFuture<?> future) {
        try {
            future.get();
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return null;
    }
}
