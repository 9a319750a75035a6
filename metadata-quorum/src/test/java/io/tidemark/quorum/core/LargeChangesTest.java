package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.BrokerShuttingDown;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.QuorumCommand.UnregisterBroker;
import io.tidemark.model.metadata.QuorumReply;
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

    private final TestCluster c = TestCluster.bootstrapped(Map.of());

    @BeforeEach
    void twentyFivePartitions() {
        for (int id = 1; id <= 3; id++) {
            c.start(id);
        }
        c.createTopic("many", Collections.nCopies(25, List.of(1, 2, 3)), Map.of("min.insync.replicas", "2"));
    }

    private void run(FenceBrokers command) {
        fold(BrokerLifecycle.fence(c.image, command, MOST));
    }

    private QuorumReply fold(Decision decision) {
        c.fold(new MetadataEntry(c.image.tip(), 0, decision.cause(), decision.records(), decision.reply()));
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
    void whoIsFencedLeadsNothingMoreInBetween() {
        run(new FenceBrokers(List.of(c.ref(1)), ""));
        c.fence(2);
        for (PartitionState state : c.image.topic("many").partitions()) {
            assertThat(state.leader()).isIn(1, 3);
            assertThat(state.leader() == 1 && state.leaderEpoch() > 0).isFalse();
        }
    }

    @Test
    void whatFitsIsOneEntryInTheUsualOrder() {
        FenceBrokers command = new FenceBrokers(List.of(c.ref(1)), "");
        Decision decision = BrokerLifecycle.fence(c.image, command, 25);
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
            return Registration.decide(c.image, command, c.context(), MOST);
        });
        assertThat(changes).containsExactly(MOST, MOST, 5);
        assertThat(c.lastRecords.get(5)).isInstanceOf(BrokerRegistered.class);
        assertThat(c.epoch(1)).isGreaterThan(before);
        assertThat(c.image.topic("many").partitions())
                .as("as if it were one entry")
                .hasToString(inOne.c.image.topic("many").partitions().toString());
    }

    @Test
    void aShutdownMovesLeadersFirst() {
        c.createTopic("led-by-2", Collections.nCopies(25, List.of(2, 1)), Map.of());
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), MOST));
        assertThat(c.lastRecords.get(0)).isInstanceOf(BrokerShuttingDown.class);
        assertThat(c.lastRecords).hasSize(1 + MOST);
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), MOST));
        assertThat(PartitionMoves.leadsAny(c.image, 1)).isTrue();
        fold(BrokerLifecycle.shutDown(c.image, c.ref(1), MOST));
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
            return BrokerLifecycle.unregister(c.image, new UnregisterBroker(1, "me"), MOST);
        });
        assertThat(changes).containsExactly(MOST, MOST, 5);
        assertThat(c.image.broker(1)).isNull();
        assertThat(c.image.topic("many").partitions())
                .noneMatch(state -> state.elr().contains(1));
    }
}
