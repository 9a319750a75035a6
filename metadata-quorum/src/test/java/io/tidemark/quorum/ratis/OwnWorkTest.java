package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.BalanceSchedule;
import io.tidemark.quorum.core.ControllerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the acting controller does of its own accord, with the real rules in a real quorum. */
class OwnWorkTest {
    private static final long NEVER_MS = 3_600_000;
    private static final long LOOK_MS = 200;

    @TempDir
    private Path folder;

    private final List<FakeBroker> brokers = new ArrayList<>();
    private QuorumHarness quorum;
    private HarnessClient client;

    @BeforeEach
    void startThreeBrokers() throws IOException {
        quorum = new QuorumHarness(
                folder,
                3,
                clusterId -> new CoreDecisions(
                        new ControllerSettings(clusterId, 1, 1, 10_000, true, true),
                        NEVER_MS,
                        3 * FakeBroker.INTERVAL_MS,
                        new BalanceSchedule(LOOK_MS, 0)),
                QuorumRpc.GRPC,
                NodeClock.SYSTEM,
                // Thousands of partitions in a command keep a machine busy that runs other tests, too.
                QuorumHarness.patience(3_000));
        quorum.leader();
        client = new HarnessClient(quorum);
        for (int id = 1; id <= 3; id++) {
            FakeBroker broker = new FakeBroker(quorum, id, "first").answering();
            brokers.add(broker);
            assertThat(broker.register("directory-" + id).error()).isEqualTo(ErrorCode.NONE);
        }
        await(
                "all unfenced",
                image -> image.brokers().values().stream()
                                .filter(broker -> broker.active())
                                .count()
                        == 3);
        Awaitility.await("the fast path")
                .atMost(QuorumHarness.PATIENCE)
                .until(() -> brokers.stream().allMatch(broker -> broker.connections() > 0));
    }

    @AfterEach
    void stop() throws IOException {
        for (FakeBroker broker : brokers) {
            broker.close();
        }
        client.close();
        quorum.close();
        assertThat(quorum.failures()).isEmpty();
    }

    private void await(String what, Predicate<ClusterImage> condition) {
        Awaitility.await(what)
                .atMost(QuorumHarness.PATIENCE)
                .until(() -> condition.test(quorum.leader().image()));
    }

    private void createTopic(String name, int partitions, List<Integer> replicas) throws IOException {
        QuorumCommand.NewTopic topic = new QuorumCommand.NewTopic(
                name, -1, -1, Collections.nCopies(partitions, replicas), Map.of("min.insync.replicas", "2"));
        QuorumReply.Answer answer = client.submit(new QuorumCommand.CreateTopics(List.of(topic), false, "test"));
        assertThat(((QuorumReply.Topics) answer.reply()).results().get(0).error())
                .isEqualTo(ErrorCode.NONE);
    }

    private PartitionState partition(String topic) {
        return quorum.leader().image().topic(topic).partition(0);
    }

    private List<MetadataEntry> entries() throws IOException {
        return client.entries(quorum.leader().nodeId());
    }

    @Test
    void leadershipGoesBackToThePreferredReplica() throws IOException {
        createTopic("orders", 4, List.of(2, 1, 3));
        QuorumReply.Answer turned = client.submit(new QuorumCommand.AlterReassignments(
                quorum.leader().image().topic("orders").partitions().stream()
                        .map(state -> new QuorumCommand.Reassignment(state.id(), List.of(1, 2, 3)))
                        .toList(),
                true,
                "test"));
        assertThat(((QuorumReply.Rows) turned.reply()).rows()).allMatch(row -> row.error() == ErrorCode.NONE);
        await(
                "the first replica leads everywhere",
                image -> image.topic("orders").partitions().stream().allMatch(state -> state.leader() == 1));
        assertThat(entries().stream().filter(entry -> entry.cause().kind().equals("BalanceLeaders")))
                .as("one look moved all")
                .hasSize(1);
        assertThat(partition("orders").leaderEpoch()).isEqualTo(1);
    }

    @Test
    void theFenceOfABrokerWithVeryManyPartitionsIsSeveralEntries() throws IOException {
        for (String topic : List.of("a", "b", "c")) {
            createTopic(topic, 9_000, List.of(1, 2, 3));
        }
        brokers.get(0).kill();
        await(
                "broker 1 leads nothing",
                image -> image.broker(1).fenced()
                        && List.of("a", "b", "c").stream()
                                .flatMap(topic -> image.topic(topic).partitions().stream())
                                .allMatch(state ->
                                        state.leader() == 2 && !state.isr().contains(1)));
        List<List<PartitionChanged>> changes = entries().stream()
                .filter(entry -> entry.cause().kind().equals("FenceBrokers"))
                .map(entry -> entry.records().stream()
                        .filter(PartitionChanged.class::isInstance)
                        .map(PartitionChanged.class::cast)
                        .toList())
                // One may have been asked for while the last part was on its way.
                .filter(some -> !some.isEmpty())
                .toList();
        assertThat(changes).extracting(List::size).containsExactly(20_000, 7_000);
        assertThat(entries().stream().flatMap(entry -> entry.records().stream()))
                .filteredOn(BrokerFenced.class::isInstance)
                .hasSize(1);
        quorum.converged();
    }

    @Test
    void theFirstToReturnLeadsVeryManyPartitionsThatNobodyLed() throws IOException {
        for (String topic : List.of("a", "b", "c")) {
            createTopic(topic, 9_000, List.of(1, 2, 3));
        }
        brokers.get(0).kill();
        await("broker 1 is gone", image -> inSync(image, 1) == 0);
        brokers.get(1).kill();
        brokers.get(2).kill();
        await("nobody leads", image -> inSync(image, 2) + inSync(image, 3) == 0);
        FakeBroker first = brokers.get(1);
        first.show();
        first.resume();
        await("all are led again", image -> inSync(image, 2) == 27_000);
        List<MetadataEntry> entries = entries();
        long returned = entries.stream()
                .takeWhile(entry -> !entry.cause().kind().equals("UnfenceBroker")
                        || entry.cause().brokerId() != 2
                        || entry.records().size() == 1)
                .count();
        List<Long> elections = entries.stream()
                .skip(returned)
                .map(entry -> entry.records().stream()
                        .filter(PartitionChanged.class::isInstance)
                        .count())
                .filter(changes -> changes > 0)
                .toList();
        // The balance of leaders may have taken a part of the rest.
        assertThat(elections).startsWith(20_000L).hasSizeGreaterThan(1);
        assertThat(elections.stream().mapToLong(Long::longValue).sum()).isEqualTo(27_000);
        quorum.converged();
    }

    private static long inSync(ClusterImage image, int broker) {
        return Stream.of("a", "b", "c")
                .flatMap(topic -> image.topic(topic).partitions().stream())
                .filter(state -> state.isr().contains(broker))
                .count();
    }

    @Test
    void aLeaderThatReachesNobodyLosesThePartitionToOneThatIsHeard() throws IOException {
        createTopic("orders", 1, List.of(1, 2, 3));
        PartitionState before = partition("orders");
        IsrProposal alone = new IsrProposal(
                before.id(),
                before.leaderEpoch(),
                before.partitionEpoch(),
                List.of(new IsrMember(1, brokers.get(0).epoch())),
                false,
                IsrProposal.Kind.CHANGE,
                Floor.NONE,
                "2 and 3 do not fetch");
        QuorumReply.Answer answer =
                client.submit(new QuorumCommand.AlterPartition(1, brokers.get(0).epoch(), List.of(alone)));
        assertThat(((QuorumReply.AlteredPartitions) answer.reply())
                        .results()
                        .get(0)
                        .error())
                .isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        // In the log, since the balance of leaders may have moved it back already.
        List<PartitionChanged> moves = entries().stream()
                .filter(entry -> entry.cause().kind().equals("AlterPartition"))
                .flatMap(entry -> entry.records().stream())
                .map(PartitionChanged.class::cast)
                .toList();
        assertThat(moves).singleElement().satisfies(move -> {
            assertThat(move.leader()).isEqualTo(2);
            assertThat(move.isr()).as("as it was").isNull();
        });
    }
}
