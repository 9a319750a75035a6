package io.tidemark.broker.drill.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.plan.Action;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ExplanationTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final PartitionStateView WHOLE = state(1, 1, 2, 3);
    private static final Fault KILLED = new Fault(Action.KILL, 1_000, 5_000, Set.of(1), "", "kill 1");

    @Test
    void aLeaderThatWasKilledAccountsForTheChange() {
        assertThat(explain(change(2_000, WHOLE, state(2, 2, 3), "FenceBrokers"), KILLED))
                .contains("kill 1");
    }

    @Test
    void nothingAccountsForAChangeBeforeTheFaultOrLongAfterIt() {
        assertThat(explain(change(900, WHOLE, state(2, 2, 3), "FenceBrokers"), KILLED))
                .isEmpty();
        assertThat(explain(change(60_000, WHOLE, state(2, 2, 3), "FenceBrokers"), KILLED))
                .isEmpty();
    }

    @Test
    void aBrokerThatNobodyTouchedMustNotLeave() {
        assertThat(explain(change(2_000, WHOLE, state(1, 1, 3), "AlterPartition"), KILLED))
                .isEmpty();
        assertThat(explain(change(2_000, WHOLE, state(2, 2), "FenceBrokers"), KILLED))
                .isEmpty();
    }

    @Test
    void followersLeaveAndComeBackBecauseOfTheirLeadersCable() {
        PartitionStateView shrunk = state(1, 1, 3);
        Fault unplugged = new Fault(Action.UNPLUG, 1_000, 5_000, Set.of(1), "", "unplug 1");
        assertThat(explain(change(2_000, WHOLE, shrunk, "AlterPartition"), unplugged))
                .contains("unplug 1");
        assertThat(explain(change(90_000, shrunk, WHOLE, "AlterPartition"), unplugged))
                .contains("unplug 1");
        assertThat(explain(change(90_000, WHOLE, shrunk, "AlterPartition"), unplugged))
                .as("long after it")
                .isEmpty();
        assertThat(explain(change(2_000, state(2, 1, 2, 3), state(2, 1, 2), "AlterPartition"), unplugged))
                .as("the cable is not its leader's")
                .isEmpty();
        assertThat(explain(change(2_000, state(2, 1, 2, 3), state(1, 1, 2), "AlterPartition"), unplugged))
                .as("the old leader's cable counts for those that leave")
                .isEmpty();
    }

    @Test
    void aBrokerComesBackHoweverMuchLater() {
        assertThat(explain(change(90_000, state(2, 2, 3), state(2, 2, 3, 1), "AlterPartition"), KILLED))
                .contains("kill 1");
        assertThat(explain(change(90_000, state(2, 2, 1), state(2, 2, 3, 1), "AlterPartition"), KILLED))
                .isEmpty();
    }

    @Test
    void leadershipGoesBackToTheOneThatWasKilled() {
        assertThat(explain(change(90_000, state(2, 1, 2, 3), WHOLE, "BalanceLeaders"), KILLED))
                .contains("kill 1");
    }

    @Test
    void leadershipMovesToAnotherThanThePreferredOnlySoonAfterTheFault() {
        PartitionStateView before = state(1, 1, 2, 3);
        PartitionStateView after = state(2, 1, 2, 3);
        assertThat(explain(change(20_000, before, after, "BalanceLeaders"), KILLED))
                .contains("kill 1");
        assertThat(explain(change(20_001, before, after, "BalanceLeaders"), KILLED))
                .isEmpty();
        assertThat(explain(
                        change(90_000, state(3, 1, 2, 3), after, "BalanceLeaders"),
                        new Fault(Action.KILL, 1_000, 5_000, Set.of(2), "", "kill 2")))
                .isEmpty();
        assertThat(explain(change(90_000, before, state(-1, 1, 2, 3), "FenceBrokers"), KILLED))
                .isEmpty();
    }

    @Test
    void aFaultThatStillStandsIsNotHiddenByOneThatIsLongOver() {
        Fault slow = new Fault(Action.SLOW_DISK, 900, 90_000, Set.of(1), "", "slow-disk 1");
        assertThat(explain(change(60_000, WHOLE, state(2, 2, 3), "AlterPartition"), slow, KILLED))
                .contains("slow-disk 1");
    }

    @Test
    void leadershipMustNotMoveBetweenBrokersThatNobodyTouched() {
        assertThat(explain(change(2_000, state(2, 1, 2, 3), state(3, 1, 2, 3), "BalanceLeaders"), KILLED))
                .isEmpty();
    }

    @Test
    void aClockThatJumpsAccountsForNothing() {
        Fault jumped = new Fault(Action.JUMP_CLOCK, 1_000, 5_000, Set.of(1), "", "jump-clock 1");
        Change fenced = change(2_000, WHOLE, state(2, 2, 3), "FenceBrokers");
        assertThat(explain(fenced, jumped)).isEmpty();
        assertThat(explain(fenced, KILLED, jumped)).contains("kill 1");
        Fault cut = new Fault(Action.CUT, 1_000, 5_000, Set.of(1), "", "cut 1");
        assertThat(explain(fenced, cut, jumped)).contains("cut 1");
    }

    @Test
    void whatTheDrillAskedForExplainsItself() {
        Fault elected = new Fault(Action.ELECT, 1_000, 1_100, Set.of(), "t-0", "elect t-0");
        assertThat(explain(change(1_050, WHOLE, state(3, 3), "ElectLeaders"), elected))
                .contains("elect t-0");
        assertThat(explain(change(1_050, WHOLE, state(3, 3), "FenceBrokers"), elected))
                .isEmpty();
        Fault other = new Fault(Action.ELECT, 1_000, 1_100, Set.of(), "t-1", "elect t-1");
        assertThat(explain(change(1_050, WHOLE, state(3, 3), "ElectLeaders"), other))
                .isEmpty();
    }

    @Test
    void aChangeOfNeitherLeaderNorIsrNeedsNoReason() {
        PartitionStateView reordered = new PartitionStateView(1, 0, List.of(1, 2, 3), List.of(3, 2, 1), List.of());
        assertThat(Explanation.isNeeded(change(1, WHOLE, reordered, ""))).isFalse();
        assertThat(Explanation.isNeeded(change(1, WHOLE, state(1, 1, 2), ""))).isTrue();
        assertThat(Explanation.isNeeded(change(1, null, WHOLE, "CreateTopics"))).isFalse();
    }

    private static java.util.Optional<String> explain(Change change, Fault... faults) {
        return Explanation.of(change, List.of(faults));
    }

    private static Change change(long timeMs, PartitionStateView before, PartitionStateView after, String kind) {
        return new Change(1, timeMs, PARTITION, before, after, kind, "words");
    }

    private static PartitionStateView state(int leader, Integer... isr) {
        return new PartitionStateView(leader, 0, List.of(1, 2, 3), List.of(isr), List.of());
    }
}
