package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.MetadataRecord.PartitionCreated;
import io.tidemark.model.metadata.MetadataRecord.TopicCreated;
import io.tidemark.model.metadata.MetadataRecord.TopicDeleted;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.CreatePartitions;
import io.tidemark.model.metadata.QuorumCommand.CreateTopics;
import io.tidemark.model.metadata.QuorumCommand.DeleteTopics;
import io.tidemark.model.metadata.QuorumCommand.Growth;
import io.tidemark.model.metadata.QuorumCommand.NewTopic;
import io.tidemark.model.metadata.QuorumCommand.TopicRef;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Topics;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R7.80, R7.81: topics come, grow and go; what cannot be is an error in its row and nothing else. */
class TopicsTest {
    private TestCluster c;

    @BeforeEach
    void threeBrokers() {
        c = TestCluster.baseline(3, 2, false);
    }

    private static NewTopic topic(String name, int partitions, int replicationFactor) {
        return new NewTopic(name, partitions, replicationFactor, List.of(), Map.of());
    }

    private static NewTopic assigned(String name, List<List<Integer>> replicas) {
        return new NewTopic(name, -1, -1, replicas, Map.of());
    }

    private static NewTopic configured(String name, String key, String value) {
        return new NewTopic(name, 1, 1, List.of(), Map.of(key, value));
    }

    private List<Topics.Result> create(NewTopic... topics) {
        return ((Topics) c.run(new CreateTopics(Arrays.asList(topics), false, "client"))).results();
    }

    private void refused(NewTopic topic, ErrorCode error) {
        Topics.Result row = create(topic).get(0);
        assertThat(row.error()).as(topic.name()).isEqualTo(error);
        assertThat(row.message()).isNotEmpty();
        assertThat(c.lastRecords).isEmpty();
    }

    private void refusedWithoutAnEntry(NewTopic topic, ErrorCode error) {
        QuorumReply reply = StatelessChecks.refuse(new CreateTopics(List.of(topic), false, ""), TestCluster.SETTINGS);
        assertThat(reply).isInstanceOf(Topics.class);
        refused(topic, error);
        assertThat(((Topics) reply).results().get(0).error()).isEqualTo(error);
    }

    @Test
    void whatIsNamedTwiceIsNotDeletedHoweverItIsNamed() {
        create(topic("a", 1, 1), topic("b", 1, 1));
        TopicRef byName = new TopicRef("a", TopicId.ZERO);
        TopicRef byId = new TopicRef("", c.topicId("a"));
        TopicRef other = new TopicRef("b", TopicId.ZERO);
        for (List<TopicRef> both : List.of(
                List.of(byName, other, byId),
                List.of(byId, other, byName),
                List.of(byName, other, byName),
                List.of(byId, other, byId))) {
            Topics reply = (Topics) c.decide(new DeleteTopics(both, "client")).reply();
            assertThat(reply.results())
                    .extracting(Topics.Result::error)
                    .as("%s", both)
                    .containsExactly(ErrorCode.INVALID_REQUEST, ErrorCode.NONE, ErrorCode.INVALID_REQUEST);
            assertThat(c.decide(new DeleteTopics(both, "client")).records())
                    .containsExactly(new TopicDeleted(c.topicId("b")));
        }
    }

    @Test
    void aNewTopicIsItsNameItsConfigurationAndItsPartitionsInThatOrder() {
        NewTopic topic = new NewTopic("orders", 2, 3, List.of(), Map.of("min.insync.replicas", "2"));
        Topics.Result row = create(topic).get(0);
        assertThat(row).isEqualTo(new Topics.Result("orders", c.topicId("orders"), 2, 3, ErrorCode.NONE, ""));
        assertThat(c.lastRecords)
                .extracting(record -> (Object) record.getClass())
                .containsExactly(TopicCreated.class, ConfigSet.class, PartitionCreated.class, PartitionCreated.class);
        for (PartitionState state : c.image.topic("orders").partitions()) {
            assertThat(state.replicas()).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(state.isr()).isEqualTo(state.replicas());
            assertThat(state.leader()).isEqualTo(state.replicas().get(0));
            assertThat(state.minIsr()).isEqualTo(2);
            assertThat(state.leaderEpoch() + state.partitionEpoch()).isZero();
        }
        refused(topic, ErrorCode.TOPIC_ALREADY_EXISTS);
    }

    @Test
    void defaultsFillWhatIsLeftOpen() {
        assertThat(create(topic("d", -1, -1)).get(0))
                .isEqualTo(new Topics.Result("d", c.topicId("d"), 1, 1, ErrorCode.NONE, ""));
    }

    @Test
    void illegalNames() {
        for (String name : List.of("", ".", "..", "a b", "ä", "a/b", "x".repeat(250))) {
            refusedWithoutAnEntry(topic(name, 1, 1), ErrorCode.INVALID_TOPIC_EXCEPTION);
        }
        assertThat(create(topic("x".repeat(249), 1, 1)).get(0).error()).isEqualTo(ErrorCode.NONE);
    }

    @Test
    void namesThatDifferInDotAndUnderscoreCollide() {
        assertThat(create(topic("a.b_c", 1, 1)).get(0).error()).isEqualTo(ErrorCode.NONE);
        refused(topic("a_b.c", 1, 1), ErrorCode.INVALID_TOPIC_EXCEPTION);
        refused(topic("a.b_c", 1, 1), ErrorCode.TOPIC_ALREADY_EXISTS);
        assertThat(create(topic("new.one", 1, 1), topic("new_one", 1, 1), topic("a-b-c", 1, 1)))
                .extracting(Topics.Result::error)
                .containsExactly(ErrorCode.NONE, ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE);
    }

    @Test
    void countsThatAreNone() {
        refusedWithoutAnEntry(topic("n", 0, 1), ErrorCode.INVALID_PARTITIONS);
        refusedWithoutAnEntry(topic("n", -2, 1), ErrorCode.INVALID_PARTITIONS);
        refusedWithoutAnEntry(topic("n", 1, 0), ErrorCode.INVALID_REPLICATION_FACTOR);
        refusedWithoutAnEntry(topic("n", 1, -2), ErrorCode.INVALID_REPLICATION_FACTOR);
        refused(topic("n", 1, 4), ErrorCode.INVALID_REPLICATION_FACTOR);
    }

    @Test
    void tooManyPartitionsInOneRequest() {
        refusedWithoutAnEntry(topic("n", 1_000_000, 1), ErrorCode.POLICY_VIOLATION);
        refusedWithoutAnEntry(topic("n", Integer.MAX_VALUE, 3), ErrorCode.POLICY_VIOLATION);
        assertThat(create(topic("p", 6_000, 1), topic("q", 4_001, 1)))
                .extracting(Topics.Result::error)
                .containsOnly(ErrorCode.POLICY_VIOLATION);
        assertThat(create(topic("p", 6_000, 1), topic("q", 4_000, 1)))
                .extracting(Topics.Result::error)
                .containsOnly(ErrorCode.NONE);
    }

    @Test
    void chosenReplicas() {
        refusedWithoutAnEntry(new NewTopic("m", 1, -1, List.of(List.of(1)), Map.of()), ErrorCode.INVALID_REQUEST);
        refusedWithoutAnEntry(new NewTopic("m", -1, 1, List.of(List.of(1)), Map.of()), ErrorCode.INVALID_REQUEST);
        for (List<List<Integer>> bad : List.of(
                List.<List<Integer>>of(List.of()), List.of(List.of(1, 1)), List.of(List.of(1, 2), List.of(3)))) {
            refusedWithoutAnEntry(assigned("m", bad), ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        }
        refused(assigned("m", List.of(List.of(1, 9))), ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        c.fence(3);
        refused(assigned("m", List.of(List.of(1), List.of(3))), ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(assigned("m", List.of(List.of(3, 2, 1)))).get(0).replicationFactor())
                .isEqualTo(3);
        assertThat(c.image.topic("m").partition(0).toString()).isEqualTo("M{L=2 LE=0 PE=0 ISR=[2, 1] ELR=[] LKE=[]}");
    }

    @Test
    void configurationsThatATopicDoesNotHave() {
        refusedWithoutAnEntry(configured("k", "no.such.key", "1"), ErrorCode.INVALID_CONFIG);
        for (String value : List.of("0", "-1", "x", "", "99999999999")) {
            refusedWithoutAnEntry(configured("k", "min.insync.replicas", value), ErrorCode.INVALID_CONFIG);
        }
        refusedWithoutAnEntry(configured("k", "unclean.leader.election.enable", "yes"), ErrorCode.INVALID_CONFIG);
        refusedWithoutAnEntry(configured("k", "cleanup.policy", "compact,shred"), ErrorCode.INVALID_CONFIG);
        refusedWithoutAnEntry(configured("k", "min.cleanable.dirty.ratio", "1.1"), ErrorCode.INVALID_CONFIG);
        assertThat(create(configured("k", "cleanup.policy", "compact, delete"))
                        .get(0)
                        .error())
                .isEqualTo(ErrorCode.NONE);
    }

    @Test
    void aBadRowDoesNotKeepTheGoodOnesOut() {
        CreateTopics mixed = new CreateTopics(
                List.of(topic("bad name", 1, 1), topic("twice", 1, 1), topic("good", 1, 1), topic("twice", 1, 1)),
                false,
                "client");
        assertThat(StatelessChecks.refuse(mixed, TestCluster.SETTINGS)).isNull();
        assertThat(((Topics) c.run(mixed)).results())
                .extracting(Topics.Result::error)
                .containsExactly(
                        ErrorCode.INVALID_TOPIC_EXCEPTION,
                        ErrorCode.INVALID_REQUEST,
                        ErrorCode.NONE,
                        ErrorCode.INVALID_REQUEST);
        assertThat(c.image.topic("good")).isNotNull();
        assertThat(c.image.topic("twice")).isNull();
    }

    @Test
    void validatingOnlyWritesNothing() {
        QuorumReply reply = c.run(new CreateTopics(List.of(topic("v", 2, 3)), true, "client"));
        assertThat(((Topics) reply).results())
                .containsExactly(new Topics.Result("v", TopicId.ZERO, 2, 3, ErrorCode.NONE, ""));
        assertThat(c.lastRecords).isEmpty();
        assertThat(grow(true, new Growth("t", 2, List.of()))).containsExactly(ErrorCode.NONE);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void anEmptyRequestIsAnsweredWithoutAnEntry() {
        for (QuorumCommand empty : List.of(
                new CreateTopics(List.of(), false, ""),
                new DeleteTopics(List.of(), ""),
                new CreatePartitions(List.of(), false, ""))) {
            assertThat(StatelessChecks.refuse(empty, TestCluster.SETTINGS)).isEqualTo(new Topics(List.of()));
        }
    }

    @Test
    void deletionByNameAndById() {
        create(configured("gone", "retention.ms", "5"));
        TopicId id = c.topicId("gone");
        List<Topics.Result> rows = ((Topics) c.run(new DeleteTopics(
                        List.of(
                                new TopicRef("t", TopicId.ZERO),
                                new TopicRef("", id),
                                new TopicRef("nobody", TopicId.ZERO),
                                new TopicRef("", new TopicId(5, 5)),
                                new TopicRef("", TopicId.ZERO),
                                new TopicRef("t", id)),
                        "client")))
                .results();
        assertThat(rows)
                .extracting(Topics.Result::error)
                .containsExactly(
                        ErrorCode.NONE,
                        ErrorCode.NONE,
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        ErrorCode.UNKNOWN_TOPIC_ID,
                        ErrorCode.INVALID_REQUEST,
                        ErrorCode.INVALID_REQUEST);
        assertThat(c.image.topics()).isEmpty();
        assertThat(c.image.configs(ConfigResource.topic("gone"))).isEmpty();
        assertThat(c.image.partitionsOf(1)).isEmpty();
    }

    private List<ErrorCode> grow(boolean validateOnly, Growth... growths) {
        return ((Topics) c.run(new CreatePartitions(Arrays.asList(growths), validateOnly, "client")))
                .results().stream().map(Topics.Result::error).toList();
    }

    @Test
    void growth() {
        assertThat(grow(false, new Growth("t", 3, List.of()))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.topic("t").partitions()).hasSize(3);
        PartitionState added = c.image.topic("t").partition(2);
        assertThat(added.replicas()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(added.minIsr()).isEqualTo(2);
        assertThat(added.elr()).isEmpty();
        c.fence(1);
        assertThat(grow(false, new Growth("t", 4, List.of(List.of(1, 3, 2))))).containsExactly(ErrorCode.NONE);
        assertThat(c.image.topic("t").partition(3).toString()).isEqualTo("M{L=3 LE=0 PE=0 ISR=[3, 2] ELR=[] LKE=[]}");
    }

    @Test
    void growthThatCannotBe() {
        List<Integer> one = List.of(1, 2, 3);
        assertThat(grow(false, new Growth("nobody", 2, List.of())))
                .containsExactly(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(grow(false, new Growth("t", 1, List.of()))).containsExactly(ErrorCode.INVALID_PARTITIONS);
        assertThat(grow(false, new Growth("t", 0, List.of()))).containsExactly(ErrorCode.INVALID_PARTITIONS);
        assertThat(grow(false, new Growth("t", Integer.MAX_VALUE, List.of())))
                .containsExactly(ErrorCode.POLICY_VIOLATION);
        assertThat(grow(false, new Growth("t", 3, List.of(one)))).containsExactly(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(false, new Growth("t", 2, List.of(List.of(1, 2)))))
                .containsExactly(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(false, new Growth("t", 2, List.of(List.of(1, 2, 9)))))
                .containsExactly(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(false, new Growth("t", 2, List.of()), new Growth("t", 3, List.of())))
                .containsOnly(ErrorCode.INVALID_REQUEST);
        assertThat(c.image.topic("t").partitions()).hasSize(1);
        c.fence(1, 2, 3);
        assertThat(grow(false, new Growth("t", 2, List.of()))).containsExactly(ErrorCode.INVALID_REPLICATION_FACTOR);
    }

    @Test
    void producerIdsComeInBlocksToTheRegisteredIncarnation() {
        assertThat(c.run(new QuorumCommand.AllocateProducerIds(1, c.epoch(1))))
                .isEqualTo(new QuorumReply.ProducerIds(0, 1000));
        assertThat(c.run(new QuorumCommand.AllocateProducerIds(2, c.epoch(2))))
                .isEqualTo(new QuorumReply.ProducerIds(1000, 1000));
        long old = c.epoch(2);
        c.comeBack(2, Return.CLEAN);
        assertThat(c.run(new QuorumCommand.AllocateProducerIds(2, old))).isInstanceOf(QuorumReply.Refused.class);
        assertThat(c.image.nextProducerId()).isEqualTo(2000);
    }

    @Test
    void theBootstrapHappensOnce() {
        TestCluster fresh = TestCluster.bootstrapped(Map.of("min.insync.replicas", "2"));
        assertThat(fresh.image.level()).isEqualTo(1);
        fresh.run(new QuorumCommand.Bootstrap(1, Map.of("min.insync.replicas", "1")));
        assertThat(fresh.lastRecords).isEmpty();
        assertThat(fresh.image.configs(ConfigResource.CLUSTER_DEFAULT)).containsEntry("min.insync.replicas", "2");
        assertThat(new TestCluster().run(new QuorumCommand.Bootstrap(0, Map.of())))
                .isInstanceOf(QuorumReply.Refused.class);
        assertThat(new TestCluster().run(new QuorumCommand.Bootstrap(1, Map.of("min.insync.replicas", "two"))))
                .isInstanceOf(QuorumReply.Refused.class);
    }
}
