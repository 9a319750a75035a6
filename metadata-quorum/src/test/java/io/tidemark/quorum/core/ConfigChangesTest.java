package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.AlterConfigs;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit.Kind;
import io.tidemark.model.metadata.QuorumReply.Rows;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Configurations change resource by resource, each whole or not at all; partitions follow in the same entry. */
class ConfigChangesTest {
    private static final ConfigResource TOPIC = ConfigResource.topic("t");
    private static final ConfigResource CLUSTER = ConfigResource.CLUSTER_DEFAULT;

    private TestCluster c;

    @BeforeEach
    void threeBrokers() {
        c = TestCluster.baseline(3, 2, false);
    }

    private static ConfigEdit set(String key, String value) {
        return new ConfigEdit(Kind.SET, key, value);
    }

    private static ConfigEdit delete(String key) {
        return new ConfigEdit(Kind.DELETE, key, "");
    }

    private static ConfigChange change(ConfigResource resource, ConfigEdit... edits) {
        return new ConfigChange(resource, false, List.of(edits));
    }

    private List<ErrorCode> alter(ConfigChange... changes) {
        return ((Rows) c.run(new AlterConfigs(Arrays.asList(changes), false, "client")))
                .rows().stream().map(Rows.Row::error).toList();
    }

    private String value(String key) {
        return c.image.configs(TOPIC).get(key);
    }

    @Test
    void valuesAreSetAndDeleted() {
        assertThat(alter(change(TOPIC, set("retention.ms", "5"), set("segment.bytes", "2000000"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(value("retention.ms")).isEqualTo("5");
        assertThat(alter(change(TOPIC, delete("retention.ms"), delete("segment.ms"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(value("retention.ms")).isNull();
        assertThat(value("segment.bytes")).isEqualTo("2000000");
        assertThat(c.lastRecords).containsExactly(new ConfigSet(TOPIC, "retention.ms", null));
    }

    @Test
    void whatIsSetAlreadyIsNotRecorded() {
        alter(change(TOPIC, set("retention.ms", "5")));
        assertThat(alter(change(TOPIC, set("retention.ms", "5")))).containsExactly(ErrorCode.NONE);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void aReplacementTakesBackWhatItDoesNotName() {
        alter(change(TOPIC, set("retention.ms", "5"), set("segment.ms", "6")));
        assertThat(alter(new ConfigChange(TOPIC, true, List.of(set("segment.ms", "7")))))
                .containsExactly(ErrorCode.NONE);
        assertThat(c.image.configs(TOPIC)).containsOnlyKeys("segment.ms").containsEntry("segment.ms", "7");
        assertThat(c.state().minIsr()).as("the cluster's default again").isEqualTo(1);
    }

    @Test
    void listsGrowAndShrinkFromTheirDefault() {
        assertThat(alter(change(TOPIC, new ConfigEdit(Kind.APPEND, "cleanup.policy", "compact"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(value("cleanup.policy")).isEqualTo("delete,compact");
        alter(change(TOPIC, new ConfigEdit(Kind.APPEND, "cleanup.policy", "compact")));
        assertThat(value("cleanup.policy")).isEqualTo("delete,compact");
        alter(change(TOPIC, new ConfigEdit(Kind.SUBTRACT, "cleanup.policy", "delete")));
        assertThat(value("cleanup.policy")).isEqualTo("compact");
        assertThat(alter(change(TOPIC, new ConfigEdit(Kind.APPEND, "retention.ms", "1"))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
    }

    @Test
    void oneBadEditRefusesItsResourceAndNoOther() {
        c.createTopic("other", List.of(List.of(1)), java.util.Map.of());
        ConfigResource other = ConfigResource.topic("other");
        assertThat(alter(
                        change(TOPIC, set("retention.ms", "5"), set("segment.ms", "0")),
                        change(other, set("retention.ms", "6")),
                        change(ConfigResource.topic("missing"), set("retention.ms", "7"))))
                .containsExactly(ErrorCode.INVALID_CONFIG, ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(value("retention.ms")).isNull();
        assertThat(c.lastRecords).containsExactly(new ConfigSet(other, "retention.ms", "6"));
        assertThat(alter(change(TOPIC, set("no.such.key", "5")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(TOPIC, set("retention.ms", "5"), delete("retention.ms"))))
                .containsExactly(ErrorCode.INVALID_REQUEST);
        assertThat(alter(change(TOPIC, set("retention.ms", "5")), change(TOPIC, set("segment.ms", "5"))))
                .containsExactly(ErrorCode.NONE, ErrorCode.INVALID_REQUEST);
    }

    @Test
    void aTrialLeavesNothing() {
        Rows rows = (Rows) c.run(new AlterConfigs(List.of(change(TOPIC, set("retention.ms", "5"))), true, "client"));
        assertThat(rows.rows()).containsExactly(Rows.Row.DONE);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void aNewMinIsrIsANewStateOfEveryPartitionItTouches() {
        int epoch = c.state().partitionEpoch();
        alter(change(TOPIC, set("min.insync.replicas", "3")));
        assertThat(c.state().minIsr()).isEqualTo(3);
        assertThat(c.state().partitionEpoch()).isEqualTo(epoch + 1);
    }

    @Test
    void aMinIsrThatNoPartitionHasTheReplicasForIsRefused() {
        String before = value("min.insync.replicas");
        assertThat(alter(change(TOPIC, set("min.insync.replicas", "4")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(new ConfigChange(TOPIC, true, List.of(set("min.insync.replicas", "4")))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(value("min.insync.replicas")).isEqualTo(before);
        assertThat(c.lastRecords).isEmpty();
        // Of the replicas that are being removed none will be there.
        assertThat(c.reassign("t", 0, List.of(1, 2))).isEqualTo(ErrorCode.NONE);
        assertThat(alter(change(TOPIC, set("min.insync.replicas", "3")))).containsExactly(ErrorCode.INVALID_CONFIG);
        // As a default it is for whoever has so many.
        assertThat(alter(change(CLUSTER, set("min.insync.replicas", "4")))).containsExactly(ErrorCode.NONE);
    }

    @Test
    void theMinIsrThatIsSetAlreadyIsNoChangeHoweverManyReplicasThereAre() {
        alter(change(TOPIC, set("min.insync.replicas", "3")));
        c.fence(3);
        c.fence(2);
        assertThat(c.reassign("t", 0, List.of(1, 2))).isEqualTo(ErrorCode.NONE);
        String state = c.m();
        assertThat(alter(change(TOPIC, set("min.insync.replicas", "3")))).containsExactly(ErrorCode.NONE);
        assertThat(c.lastRecords).isEmpty();
        assertThat(c.m()).isEqualTo(state);
    }

    @Test
    void theClustersDefaultTakesWhatTheQuorumActsOn() {
        alter(change(TOPIC, delete("min.insync.replicas")));
        assertThat(alter(change(CLUSTER, set("min.insync.replicas", "3")))).containsExactly(ErrorCode.NONE);
        assertThat(c.state().minIsr()).isEqualTo(3);
        assertThat(alter(change(CLUSTER, delete("min.insync.replicas")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(CLUSTER, set("min.insync.replicas", "0")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(CLUSTER, set("log.retention.hours", "5")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(CLUSTER, set("num.io.threads", "5")))).containsExactly(ErrorCode.INVALID_CONFIG);
        ConfigResource broker = ConfigResource.broker(1);
        assertThat(alter(change(broker, set("min.insync.replicas", "1")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(broker, delete("leader.replication.throttled.rate"))))
                .as("it was not set")
                .containsExactly(ErrorCode.NONE);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void brokersTakeWhatTopicsFallBackTo() {
        ConfigResource broker = ConfigResource.broker(1);
        assertThat(alter(change(broker, set("log.retention.ms", "5")))).containsExactly(ErrorCode.NONE);
        assertThat(alter(change(CLUSTER, set("log.retention.ms", "7")))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.topicConfig("t", "retention.ms", 1)).isEqualTo("5");
        assertThat(c.image.topicConfig("t", "retention.ms", 2)).isEqualTo("7");
        assertThat(alter(change(broker, set("log.retention.ms", "5")))).containsExactly(ErrorCode.NONE);
        assertThat(c.lastRecords).as("it was so").isEmpty();
        assertThat(alter(change(broker, delete("log.retention.ms")))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.topicConfig("t", "retention.ms", 1)).isEqualTo("7");
    }

    @Test
    void throttlesAreRatesOfBrokersAndListsOfReplicas() {
        String rate = "leader.replication.throttled.rate";
        String replicas = "follower.replication.throttled.replicas";
        ConfigResource broker = ConfigResource.broker(1);
        assertThat(alter(change(broker, set(rate, "1000")))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.configs(broker)).containsEntry(rate, "1000");
        assertThat(alter(change(broker, set(rate, "-1")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(broker, set(rate, "fast")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(broker, delete(rate)))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.configs(broker)).doesNotContainKey(rate);
        assertThat(alter(change(TOPIC, new ConfigEdit(Kind.APPEND, replicas, "0:1"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(alter(change(TOPIC, new ConfigEdit(Kind.APPEND, replicas, "0:2"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(value(replicas)).isEqualTo("0:1,0:2");
        assertThat(alter(change(TOPIC, new ConfigEdit(Kind.SUBTRACT, replicas, "0:1,0:2"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(value(replicas)).isEmpty();
        assertThat(alter(change(TOPIC, set(replicas, "0-1")))).containsExactly(ErrorCode.INVALID_CONFIG);
    }

    @Test
    void brokersTakeLimitsOfConnectionsAndForgetProducersByRequest() {
        ConfigResource broker = ConfigResource.broker(1);
        for (ConfigResource resource : List.of(broker, CLUSTER)) {
            assertThat(alter(change(
                            resource,
                            set("max.connections", "10"),
                            set("max.connections.per.ip", "0"),
                            set("max.connections.per.ip.overrides", "::1:5, host:0"),
                            set("max.connection.creation.rate", "1"),
                            set("producer.id.expiration.ms", "1"))))
                    .containsExactly(ErrorCode.NONE);
            assertThat(c.image.configs(resource)).hasSize(5);
            for (String wrong : List.of(
                    "max.connections=0",
                    "max.connections=2147483648",
                    "max.connections.per.ip=-1",
                    "max.connections.per.ip.overrides=host",
                    "max.connections.per.ip.overrides=:5",
                    "max.connections.per.ip.overrides=host:-1",
                    "max.connections.per.ip.overrides=host:5,",
                    "max.connection.creation.rate=0",
                    "producer.id.expiration.ms=0",
                    "producer.id.expiration.ms=never")) {
                String[] pair = wrong.split("=", 2);
                assertThat(alter(change(resource, set(pair[0], pair[1]))))
                        .as(wrong)
                        .containsExactly(ErrorCode.INVALID_CONFIG);
            }
            assertThat(alter(change(resource, delete("max.connections.per.ip.overrides"))))
                    .as("nobody could come in")
                    .containsExactly(ErrorCode.INVALID_CONFIG);
            assertThat(c.image.configs(resource)).hasSize(5);
        }
    }

    @Test
    void brokersValuesAreChecked() {
        ConfigResource broker = ConfigResource.broker(1);
        assertThat(alter(change(broker, set("log.retention.ms", "-2")))).containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(broker, set("log.segment.bytes", "1048575"))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(broker, set("unclean.leader.election.enable", "true"))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
        for (String name : List.of("one", "01", "+1", "-0", " 1", "1.0")) {
            assertThat(alter(
                            change(new ConfigResource(ConfigResource.Type.BROKER, name), set("log.retention.ms", "5"))))
                    .as(name)
                    .containsExactly(ErrorCode.INVALID_REQUEST);
        }
        assertThat(alter(change(ConfigResource.broker(77), set("log.retention.ms", "5"))))
                .containsExactly(ErrorCode.BROKER_ID_NOT_REGISTERED);
    }

    @Test
    void groupsAreConfiguredWhetherTheyExistOrNot() {
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, "g");
        assertThat(alter(change(group, set("consumer.session.timeout.ms", "50000"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(c.image.configs(group)).containsEntry("consumer.session.timeout.ms", "50000");
        assertThat(alter(change(group, delete("consumer.session.timeout.ms")))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.configs(group)).isEmpty();
        assertThat(alter(change(group, set("consumer.session.timeout.ms", "soon"))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(alter(change(group, set("retention.ms", "5")))).containsExactly(ErrorCode.INVALID_CONFIG);
        ConfigResource all = new ConfigResource(ConfigResource.Type.GROUP, "");
        assertThat(alter(change(all, set("consumer.session.timeout.ms", "50000"))))
                .containsExactly(ErrorCode.INVALID_REQUEST);
    }

    @Test
    void whereUncleanElectionsAreAllowedNowTheyAreHeldAtOnce() {
        alter(change(TOPIC, set("min.insync.replicas", "1")));
        c.fence(1);
        c.fence(2);
        c.fence(3);
        c.unfence(1);
        assertThat(c.state().leader()).as("3 was the last in sync").isEqualTo(PartitionState.NO_LEADER);
        alter(change(TOPIC, set("unclean.leader.election.enable", "true")));
        assertThat(c.state().leader()).isEqualTo(1);
        assertThat(c.state().recovering()).isTrue();
    }

    /** B1: a strategy that nobody knows would be taken for the default when it counts. */
    @Test
    void strategiesOfUncleanRecoveryAreKnownOnes() {
        assertThat(alter(change(TOPIC, set("unclean.recovery.strategy", "None"))))
                .containsExactly(ErrorCode.NONE);
        assertThat(alter(change(TOPIC, set("unclean.recovery.strategy", "daring"))))
                .containsExactly(ErrorCode.INVALID_CONFIG);
        assertThat(value("unclean.recovery.strategy")).isEqualTo("None");
    }
}
