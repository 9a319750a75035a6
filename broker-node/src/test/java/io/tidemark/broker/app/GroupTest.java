package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.app.GroupClients.Member;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumer groups of both protocols with unmodified clients, over the faults a group is to outlive. */
class GroupTest {
    private static final String TOPIC = "orders";
    private static final String OFFSETS = "__consumer_offsets";
    private static final int PARTITIONS = 6;
    private static final Map<String, String> CONFIG = Map.of(
            "broker.session.timeout.ms", "1000",
            "offsets.topic.num.partitions", "4",
            "group.initial.rebalance.delay.ms", "0",
            "group.consumer.min.heartbeat.interval.ms", "200",
            "group.consumer.heartbeat.interval.ms", "200");

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aGroupSharesItsPartitionsAndOutlivesItsCoordinator(String protocol, @TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, CONFIG)) {
            GroupClients.createTopic(cluster, TOPIC, PARTITIONS, 3);
            GroupClients.produce(cluster, TOPIC, PARTITIONS, 0, 60);
            List<Member> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                members.add(new Member(cluster, protocol, "g", TOPIC, "earliest"));
            }
            awaitShared(members);
            awaitRead(members, 60);
            awaitCommitted(cluster, protocol, 10);

            int coordinator = coordinatorOf(cluster, "g").leader();
            cluster.kill(coordinator);
            GroupClients.produce(cluster, TOPIC, PARTITIONS, 60, 120);
            awaitRead(members, 120);
            awaitCommitted(cluster, protocol, 20);
            assertThat(coordinatorOf(cluster, "g").leader()).isNotEqualTo(coordinator);
            // Each was read once: what was committed before the coordinator was lost was not read again.
            assertThat(members.stream().flatMap(member -> member.values.stream()))
                    .containsExactlyInAnyOrderElementsOf(values(0, 120));

            members.get(2).close();
            awaitShared(members.subList(0, 2));
            for (Member member : members) {
                member.close();
            }
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void committedOffsetsOutliveAllBrokers(String protocol, @TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 1_000, CONFIG)) {
            GroupClients.createTopic(cluster, TOPIC, PARTITIONS, 3);
            GroupClients.produce(cluster, TOPIC, PARTITIONS, 0, 60);
            try (Member member = new Member(cluster, protocol, "g", TOPIC, "earliest")) {
                awaitRead(List.of(member), 60);
                awaitCommitted(cluster, protocol, 10);
            }
            Map<TopicPartition, OffsetAndMetadata> before =
                    GroupClients.committed(cluster, protocol, "g", TOPIC, PARTITIONS);
            assertThat(before.values()).allSatisfy(offset -> {
                assertThat(offset.leaderEpoch()).isPresent();
                assertThat(offset.metadata()).isEqualTo("note");
            });
            for (int id = 1; id <= 3; id++) {
                cluster.stop(id);
            }
            for (int id = 3; id >= 1; id--) {
                cluster.start(id);
            }
            assertThat(GroupClients.committed(cluster, protocol, "g", TOPIC, PARTITIONS))
                    .isEqualTo(before);
            GroupClients.produce(cluster, TOPIC, PARTITIONS, 60, 66);
            try (Member member = new Member(cluster, protocol, "g", TOPIC, "none")) {
                awaitRead(List.of(member), 6);
                assertThat(member.values).containsExactlyInAnyOrderElementsOf(values(60, 66));
            }
        }
    }

    @Test
    void groupsAreListedDescribedAndDeleted(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 1_000, single());
                Admin admin = GroupClients.admin(cluster)) {
            assertThat(admin.listGroups().all().get()).isEmpty();
            assertThat(cluster.image().topic(OFFSETS)).isNull();
            GroupClients.createTopic(cluster, TOPIC, PARTITIONS, 1);
            GroupClients.produce(cluster, TOPIC, PARTITIONS, 0, 12);
            for (String protocol : List.of("classic", "consumer")) {
                try (Member member = new Member(cluster, protocol, protocol, TOPIC, "earliest")) {
                    awaitRead(List.of(member), 12);
                    ConsumerGroupDescription described = describe(admin, protocol);
                    assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
                    assertThat(described.coordinator().id()).isEqualTo(1);
                    assertThat(described.members()).hasSize(1);
                    assertThat(described
                                    .members()
                                    .iterator()
                                    .next()
                                    .assignment()
                                    .topicPartitions())
                            .hasSize(PARTITIONS);
                    assertFailsWith(
                            () -> admin.deleteConsumerGroups(List.of(protocol))
                                    .all()
                                    .get(),
                            GroupNotEmptyException.class);
                }
                assertThat(describe(admin, protocol).groupState()).isEqualTo(GroupState.EMPTY);
            }
            assertThat(admin.listGroups().all().get().stream().map(GroupListing::groupId))
                    .containsExactlyInAnyOrder("classic", "consumer");

            TopicPartition first = new TopicPartition(TOPIC, 0);
            admin.alterConsumerGroupOffsets("classic", Map.of(first, new OffsetAndMetadata(1)))
                    .all()
                    .get();
            assertThat(offsets(admin, "classic").get(first).offset()).isEqualTo(1);
            admin.deleteConsumerGroupOffsets("classic", Set.of(first)).all().get();
            assertThat(offsets(admin, "classic")).hasSize(PARTITIONS - 1).doesNotContainKey(first);

            admin.deleteConsumerGroups(List.of("classic", "consumer")).all().get();
            assertThat(admin.listGroups().all().get()).isEmpty();
            assertFailsWith(() -> describe(admin, "classic"), GroupIdNotFoundException.class);
        }
    }

    /** The coordinator gives up the offsets of a topic that is deleted, also while other groups go on. */
    @Test
    void offsetsOfADeletedTopicGoWithIt(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 1_000, single());
                Admin admin = GroupClients.admin(cluster)) {
            GroupClients.createTopic(cluster, TOPIC, 1, 1);
            GroupClients.createTopic(cluster, "other", 1, 1);
            TopicPartition kept = new TopicPartition("other", 0);
            admin.alterConsumerGroupOffsets(
                            "g",
                            Map.of(
                                    new TopicPartition(TOPIC, 0),
                                    new OffsetAndMetadata(0),
                                    kept,
                                    new OffsetAndMetadata(0)))
                    .all()
                    .get();
            admin.deleteTopics(List.of(TOPIC)).all().get();
            Awaitility.await()
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> offsets(admin, "g").keySet().equals(Set.of(kept)));
        }
    }

    @Test
    void clientsDoNotWriteToTheOffsets(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 1_000, single());
                Admin admin = GroupClients.admin(cluster)) {
            GroupClients.createTopic(cluster, TOPIC, 1, 1);
            TopicPartition partition = new TopicPartition(TOPIC, 0);
            admin.alterConsumerGroupOffsets("g", Map.of(partition, new OffsetAndMetadata(5)))
                    .all()
                    .get();
            assertThat(admin.describeTopics(List.of(OFFSETS))
                            .allTopicNames()
                            .get()
                            .get(OFFSETS)
                            .isInternal())
                    .isTrue();
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", cluster.bootstrap()), new StringSerializer(), new StringSerializer())) {
                assertFailsWith(
                        () -> producer.send(new ProducerRecord<>(OFFSETS, 0, "key", "value"))
                                .get(),
                        InvalidTopicException.class);
            }
            assertThat(offsets(admin, "g").get(partition).offset()).isEqualTo(5);
        }
    }

    private static Map<String, String> single() {
        Map<String, String> config = new java.util.HashMap<>(CONFIG);
        config.put("offsets.topic.replication.factor", "1");
        return config;
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void assertFailsWith(Attempt attempt, Class<? extends Exception> expected) {
        assertThatThrownBy(attempt::run).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(expected);
    }

    private static ConsumerGroupDescription describe(Admin admin, String group) throws Exception {
        return admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(Admin admin, String group) throws Exception {
        return admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
    }

    private static PartitionState coordinatorOf(BrokerCluster cluster, String group) {
        TopicState topic = cluster.image().topic(OFFSETS);
        return topic.partition(Utils.abs(group.hashCode()) % topic.partitions().size());
    }

    private static List<String> values(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    private static void awaitShared(List<Member> members) {
        Awaitility.await("each member has its share")
                .atMost(BrokerCluster.PATIENCE)
                .until(() ->
                        members.stream().allMatch(member -> member.assigned().size() == PARTITIONS / members.size()));
    }

    private static void awaitRead(List<Member> members, int count) {
        Awaitility.await(count + " records read").atMost(BrokerCluster.PATIENCE).until(() -> {
            members.forEach(member -> assertThat(member.failure.get()).isNull());
            return members.stream()
                            .flatMap(member -> member.values.stream())
                            .distinct()
                            .count()
                    >= count;
        });
    }

    private static void awaitCommitted(BrokerCluster cluster, String protocol, long offset) {
        Awaitility.await("all committed")
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> GroupClients.committed(cluster, protocol, "g", TOPIC, PARTITIONS).values().stream()
                        .allMatch(committed -> committed != null && committed.offset() == offset));
    }
}
