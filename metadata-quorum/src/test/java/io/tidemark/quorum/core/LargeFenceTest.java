package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fence that is too large for one entry (B4). */
class LargeFenceTest {
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
        Decision decision = BrokerLifecycle.fence(c.image, command, MOST);
        c.fold(new MetadataEntry(c.image.tip(), 0, decision.cause(), decision.records(), decision.reply()));
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
}
