package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.BrokerShuttingDown;
import io.tidemark.model.metadata.MetadataRecord.BrokerUnfenced;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.AlterConfigs;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.QuorumCommand.UnfenceBroker;
import io.tidemark.model.metadata.QuorumCommand.UnregisterBroker;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a broker's coming and going changes when it is too much for one entry (B4, R7.98). */
class LargeChangesTest {
    private static final int MOST = 10;
    private static final EntryBound BOUND = new EntryBound(MOST, Integer.MAX_VALUE);
    /** What the log takes of one entry, bytes; more is refused. */
    private static final int ENTRY_BYTES = 4 * 1024 * 1024;

    private final TestCluster c = TestCluster.bootstrapped(Map.of());

    @BeforeEach
    void twentyFivePartitions() {
        for (int id = 1; id <= 3; id++) {
            c.start(id);
        }
        c.createTopic("many", Collections.nCopies(25, List.of(1, 2, 3)), Map.of("min.insync.replicas", "2"));
    }

    private void run(FenceBrokers command) {
        fold(BrokerLifecycle.fence(c.image, command, BOUND));
    }

    private QuorumReply fold(Decision decision) {
        MetadataEntry entry =
                new MetadataEntry(c.image.tip(), 0, decision.cause(), decision.records(), decision.reply());
        assertThat(RecordCodec.encode(entry)).hasSizeLessThan(ENTRY_BYTES);
        c.fold(entry);
        return decision.reply();
    }

    /** Gives a command until it is done; how many partition changes each entry had. */
    private List<Integer> untilDone(Supplier<Decision> decision) {
        List<Integer> changes = new ArrayList<>();
        QuorumReply reply;
        do {
            reply = fold(decision.get());
            changes.add((int) c.lastRecords.stream()
                    .filter(PartitionChanged.class::isInstance)
                    .count());
        } while (reply instanceof QuorumReply.Refused refused && refused.error() == ErrorCode.UNFINISHED);
        return changes;
    }

    private long stillIn(int broker) {
        return c.image.topic("many").partitions().stream()
                .filter(state -> state.isr().contains(broker))
                .count();
    }

    @Test
    void theFencesComeFirstAndTheChangesFollow() {
        FenceRemainder remainder = new FenceRemainder();
        remainder.activate(c.image);
        FenceBrokers command = new FenceBrokers(List.of(c.ref(1), c.ref(2)), "");
        run(command);
        assertThat(c.lastRecords).hasSize(2 + MOST);
        assertThat(c.lastRecords.subList(0, 2)).hasOnlyElementsOfType(BrokerFenced.class);
        assertThat(stillIn(1)).isEqualTo(15);
        remainder.finished(command);
        for (int left : new int[] {5, 0}) {
            run(remainder.due(c.image).orElseThrow());
            assertThat(c.lastRecords).hasOnlyElementsOfType(PartitionChanged.class);
            assertThat(stillIn(1)).isEqualTo(left);
        }
        assertThat(remainder.due(c.image)).isEmpty();
        for (PartitionState state : c.image.topic("many").partitions()) {
            assertThat(state).hasToString("M{L=3 LE=1 PE=1 ISR=[3] ELR=[1, 2] LKE=[]}");
        }
    }

    @Test
    void aControllerThatTakesOverInBetweenFinishesIt() {
        run(new FenceBrokers(List.of(c.ref(1)), ""));
        FenceRemainder next = new FenceRemainder();
        assertThat(next.due(c.image)).as("before its term").isEmpty();
        next.activate(c.image);
        Optional<FenceBrokers> rest = next.due(c.image);
        assertThat(rest)
                .hasValueSatisfying(command -> assertThat(command.brokers()).containsExactly(c.ref(1)));
        run(rest.orElseThrow());
        run(next.due(c.image).orElseThrow());
        assertThat(stillIn(1)).isZero();
        assertThat(next.due(c.image)).isEmpty();
    }

    @Test
    void whoIsUnfencedInBetweenIsNotFencedAgain() {
        run(new FenceBrokers(List.of(c.ref(1), c.ref(2)), ""));
        FenceRemainder remainder = new FenceRemainder();
        remainder.activate(c.image);
        FenceBrokers rest = remainder.due(c.image).orElseThrow();
        c.unfence(1);
        run(rest);
        assertThat(c.lastRecords).isNotEmpty().hasOnlyElementsOfType(PartitionChanged.class);
        assertThat(c.image.broker(1).active()).isTrue();
        assertThat(stillIn(1)).as("it keeps what was not taken from it").isEqualTo(15);
        assertThat(stillIn(2)).isLessThan(15);
        c.unfence(2);
        run(rest);
        assertThat(c.lastRecords).isEmpty();
        assertThat(remainder.due(c.image)).isEmpty();
    }

    @Test
    void whoIsFencedLeadsNothingMoreInBetween() {
        run(new FenceBrokers(List.of(c.ref(1)), ""));
        c.fence(2);
        for (PartitionState state : c.image.topic("many").partitions()) {
            assertThat(state.leader()).isIn(1, 3);
            assertThat(state.leader() == 1 && state.leaderEpoch() > 0).isFalse();
        }
    }

    /** Goes on with elections as the acting controller does; how many each entry had. */
    private List<Integer> elections(ElectionRemainder remainder, QuorumCommand first, Decision decision) {
        List<Integer> elections = new ArrayList<>();
        Optional<BalanceLeaders> rest = Optional.empty();
        do {
            QuorumCommand command = rest.isPresent() ? rest.get() : first;
            Decision next = rest.isPresent() ? LeaderBalance.decide(c.image, rest.get(), BOUND) : decision;
            remainder.decided(command, next, c.image);
            assertThat(remainder.due(c.image))
                    .as("not before the entry is there")
                    .isEmpty();
            assertThat(fold(next)).isNotInstanceOf(QuorumReply.Refused.class);
            elections.add((int) c.lastRecords.stream()
                    .filter(PartitionChanged.class::isInstance)
                    .count());
            rest = remainder.due(c.image);
        } while (rest.isPresent());
        return elections;
    }

    private static ElectionRemainder nothingOwed(TestCluster cluster) {
        ElectionRemainder remainder = new ElectionRemainder();
        assertThat(remainder.due(cluster.image)).as("before its term").isEmpty();
        remainder.activate();
        assertThat(remainder.due(cluster.image)).isEmpty();
        return remainder;
    }

    /** A refusal would come again at every heartbeat: the cluster would never come back. */
    @Test
    void theFirstToComeBackLeadsWhatNobodyLedInAsManyEntriesAsItTakes() {
        c.fence(1, 2, 3);
        LargeChangesTest inOne = new LargeChangesTest();
        inOne.twentyFivePartitions();
        inOne.c.fence(1, 2, 3);
        inOne.c.unfence(2);

        ElectionRemainder remainder = nothingOwed(c);
        List<Integer> elections =
                elections(remainder, new UnfenceBroker(c.ref(2)), BrokerLifecycle.unfence(c.image, c.ref(2), BOUND));
        assertThat(elections).containsExactly(MOST, MOST, 5);
        assertThat(c.image.topic("many").partitions())
                .as("as if it were one entry")
                .hasToString(inOne.c.image.topic("many").partitions().toString());
    }

    @Test
    void whoeverTakesOverGoesOnWithElections() {
        c.fence(1, 2, 3);
        fold(BrokerLifecycle.unfence(c.image, c.ref(2), BOUND));
        assertThat(c.lastRecords.get(0)).isInstanceOf(BrokerUnfenced.class);
        assertThat(c.lastRecords).hasSize(1 + MOST);
        ElectionRemainder next = new ElectionRemainder();
        next.activate();
        BalanceLeaders rest = next.due(c.image).orElseThrow();
        elections(next, rest, LeaderBalance.decide(c.image, rest, BOUND));
        assertThat(c.image.topic("many").partitions()).allMatch(state -> state.leader() == 2);
    }

    @Test
    void whereUncleanElectionsAreAllowedNowTheyAreHeldInAsManyEntriesAsItTakes() {
        c.fence(1);
        c.fence(2);
        c.fence(3);
        c.unfence(1);
        assertThat(c.image.topic("many").partitions()).noneMatch(PartitionState::hasLeader);
        ElectionRemainder remainder = nothingOwed(c);
        ConfigEdit edit = new ConfigEdit(ConfigEdit.Kind.SET, RecoveryStrategy.UNCLEAN_KEY, "true");
        AlterConfigs command = new AlterConfigs(
                List.of(new ConfigChange(ConfigResource.CLUSTER_DEFAULT, false, List.of(edit))), false, "me");
        List<Integer> elections = elections(remainder, command, ConfigChanges.decide(c.image, command, BOUND));
        assertThat(elections).containsExactly(MOST, MOST, 5);
        assertThat(c.image.topic("many").partitions()).allMatch(state -> state.leader() == 1 && state.recovering());
    }

    @Test
    void whatFitsIsOneEntryInTheUsualOrder() {
        FenceBrokers command = new FenceBrokers(List.of(c.ref(1)), "");
        Decision decision = BrokerLifecycle.fence(c.image, command, new EntryBound(25, Integer.MAX_VALUE));
        assertThat(decision.records()).hasSize(26);
        assertThat(decision.records().get(25)).isInstanceOf(BrokerFenced.class);
    }

    @ParameterizedTest
    @EnumSource
    void aRegistrationComesAfterAllItsChanges(Return how) {
        LargeChangesTest inOne = new LargeChangesTest();
        inOne.twentyFivePartitions();
        inOne.c.register(1, how);

        long before = c.epoch(1);
        RegisterBroker command = c.returning(1, how);
        List<Integer> changes = untilDone(() -> {
            assertThat(c.epoch(1)).as("still the old one").isEqualTo(before);
            return Registration.decide(c.image, command, c.context(), BOUND);
        });
        assertThat(changes).containsExactly(MOST, MOST, 5);
        assertThat(c.lastRecords.get(5)).isInstanceOf(BrokerRegistered.class);
        assertThat(c.epoch(1)).isGreaterThan(before);
        assertThat(c.image.topic("many").partitions())
                .as("as if it were one entry")
                .hasToString(inOne.c.image.topic("many").partitions().toString());
    }

    /** A change is as long as the histories that it carries: so many of them do not fit however few they are. */
    @Test
    void reportsOfLongHistoriesAreSpreadOverAsManyEntriesAsTheyNeed() {
        for (String topic : List.of("long-1", "long-2")) {
            c.createTopic(topic, Collections.nCopies(10_000, List.of(1, 2, 3)), Map.of("min.insync.replicas", "2"));
        }
        c.fence(1, 2);
        List<EpochAndOffset> epochs = new ArrayList<>();
        for (int epoch = 0; epoch < 20; epoch++) {
            epochs.add(new EpochAndOffset(epoch, epoch * 1_000_000L));
        }
        for (int id = 1; id <= 2; id++) {
            List<SeatReport> reports = new ArrayList<>();
            for (PartitionId partition : c.image.partitionsOf(id)) {
                reports.add(new SeatReport(id, partition, 0, 1_000_000_000, EpochHistory.of(epochs)));
            }
            RegisterBroker command = TestCluster.with(c.returning(id, Return.UNCLEAN), reports);
            long before = c.epoch(id);
            List<Integer> changes = untilDone(() -> c.decide(command));
            assertThat(changes).hasSizeBetween(2, 20);
            assertThat(changes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(20_025);
            assertThat(c.epoch(id)).isGreaterThan(before);
        }
        assertThat(c.image.topic("long-2").partitions())
                .allMatch(state -> state.unproven().size() == 2);
    }

    @Test
    void aShutdownMovesLeadersFirst() {
        c.createTopic("led-by-2", Collections.nCopies(25, List.of(2, 1)), Map.of());
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), BOUND));
        assertThat(c.lastRecords.get(0)).isInstanceOf(BrokerShuttingDown.class);
        assertThat(c.lastRecords).hasSize(1 + MOST);
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), BOUND));
        assertThat(PartitionMoves.leadsAny(c.image, 1)).isTrue();
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), BOUND));
        assertThat(PartitionMoves.leadsAny(c.image, 1)).isFalse();
        c.fence(1);
        assertThat(stillIn(1)).isZero();
    }

    @Test
    void aBrokerIsForgottenLast() {
        c.fence(1, 2);
        assertThat(c.image.topic("many").partitions())
                .allMatch(state -> state.elr().contains(1));
        List<Integer> changes = untilDone(() -> {
            assertThat(c.image.broker(1)).isNotNull();
            return BrokerLifecycle.unregister(c.image, new UnregisterBroker(1, "me"), BOUND);
        });
        assertThat(changes).containsExactly(MOST, MOST, 5);
        assertThat(c.image.broker(1)).isNull();
        assertThat(c.image.topic("many").partitions())
                .noneMatch(state -> state.elr().contains(1));
    }
}
