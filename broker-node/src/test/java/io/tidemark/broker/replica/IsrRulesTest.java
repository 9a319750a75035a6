package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a leader changes its ISR, and what the high watermark does meanwhile: rules by number. */
class IsrRulesTest {
    private static List<Integer> proposed(Effect.SendAlter alter) {
        return alter.request().isr().stream()
                .map(QuorumCommand.IsrMember::brokerId)
                .toList();
    }

    /** A leader 1 with ISR [1,2] at PE 1, both at 100, and 3 behind: refused or accepted as the test likes. */
    private static World threeWithTwoInSync(int minIsr) {
        World world = new World(minIsr, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.fetch(2);
        return world;
    }

    /** S6's start: ISR [1,2], 2 stuck at 100, leader at 150, the lag limit has just passed. */
    private static World shrinking() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 0, List.of(1, 2)));
        world.fetch(2);
        world.append(1, 50);
        world.passTicking(1, World.LAG_MS + 1);
        return world;
    }

    private static World underLoad() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1)));
        return world;
    }

    @Test
    void s7_control_withoutTheHoldItNeverGetsIn() {
        // The rule of the mark without R3.2: its only follower is always behind the mark that it would have to reach.
        FollowerProgress follower = new FollowerProgress(2);
        SessionClock clock = new SessionClock();
        long leaderEnd = 100;
        long mark = 100;
        for (int i = 0; i < 30; i++) {
            long asked = leaderEnd - 5;
            clock.fetched(i * 100, 12);
            follower.fetched(asked, 0, leaderEnd, i * 100, clock);
            mark = HighWatermark.of(mark, leaderEnd, false, List.of(follower), (f, now) -> false, 0);
            assertThat(follower.end()).isLessThan(mark);
            leaderEnd += 10;
        }
    }

    @Test
    void b3_anAnswerThatChangesNothingTakesEffectAtItsIndex() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        world.fetch(3);
        Effect.SendAlter alter = leader.takeAlter();
        world.acceptAt(1, alter, 5, 0, 1, List.of(1, 2));
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
        leader.step(world.now, new ReplicaEvent.FeedReached(4));
        assertThat(leader.replica.isr().proposal().number).isEqualTo(alter.proposal());
        leader.step(world.now, new ReplicaEvent.FeedReached(5));
        assertThat(leader.replica.isr().isr()).containsExactly(1, 2);
        assertThat(leader.takeAlter().proposal()).as("3 is still caught up").isNotEqualTo(alter.proposal());
    }

    /** K2's start: min 2, ISR [1,3], 2 proposed, the first attempt's fate unknown. */
    private static World expansionOfUnknownFate() {
        World world = new World(2, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        world.publish(world.state(1, 0, 1, List.of(1, 3)));
        world.fetch(3);
        world.fetch(2);
        Effect.SendAlter first = world.at(1).takeAlter();
        world.loseAnswer(1, first);
        world.passTicking(1, world.at(1).settings.alterRetryMs());
        return world;
    }

    @Test
    void b19_aCancelOfUnknownFateIsSentAgainUntilThePartitionEpochMoves() {
        World world = expansionOfUnknownFate();
        Node leader = world.at(1);
        world.refuse(1, leader.takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        Effect.SendAlter cancel = leader.takeAlter();
        world.loseAnswer(1, cancel);
        world.passTicking(1, leader.settings.alterRetryMs());
        assertThat(leader.takeAlter()).isEqualTo(cancel);
        world.refuse(1, cancel, ErrorCode.INELIGIBLE_REPLICA);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.Cancelling.class);
        world.passTicking(1, leader.settings.refusedRetryMs());
        assertThat(leader.takeAlter()).isEqualTo(cancel);
        // The first attempt was the one that got through.
        world.publish(world.state(1, 0, 2, List.of(1, 3, 2)));
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 3, 2)));
    }

    @Test
    void b7_aLaggingMemberLeavesAtItsOwnDeadline() {
        World world = threeWithTwoInSync(1);
        Node leader = world.at(1);
        world.pass(10_000);
        world.fetch(2);
        world.append(1, 1);
        assertThat(leader.replica.nextDeadlineMs(new MonoTime(world.now))).isEqualTo(world.now + World.LAG_MS + 1);
        world.passTicking(1, World.LAG_MS);
        assertThat(leader.takeAlter()).isNull();
        world.passTicking(1, 1);
        Effect.SendAlter alter = leader.takeAlter();
        assertThat(proposed(alter)).containsExactly(1);
        assertThat(alter.request().reason()).contains("replica 2").contains("30001 ms");
    }

    @Test
    void b7_aRefusedShrinkIsProposedAgainLater() {
        World world = shrinking();
        Node leader = world.at(1);
        Effect.SendAlter alter = leader.takeAlter();
        world.refuse(1, alter, ErrorCode.INELIGIBLE_REPLICA);
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 2)));
        world.tick(1);
        assertThat(leader.takeAlter()).isNull();
        world.passTicking(1, leader.settings.refusedRetryMs());
        assertThat(proposed(leader.takeAlter())).containsExactly(1);
    }

    @Test
    void b14_anIdlePartitionKeepsItsIsrWhenARecordComes() {
        World world = threeWithTwoInSync(2);
        for (int second = 0; second < 60; second++) {
            world.passTicking(1, 1000);
            world.heartbeatFetch(2);
        }
        world.append(1, 1);
        world.passTicking(1, 500);
        assertThat(world.at(1).takeAlter()).isNull();
        world.fetch(2);
        world.fetch(2);
        assertThat(world.at(1).mark()).isEqualTo(101);
        assertThat(world.at(1).has(Effect.SendAlter.class)).isFalse();
    }

    @Test
    void b14_control_aFollowerWhoseSessionIsSilentLeaves() {
        World world = threeWithTwoInSync(2);
        world.passTicking(1, 60_000);
        assertThat(world.at(1).takeAlter())
                .as("at the end it is caught up, however silent")
                .isNull();
        world.append(1, 1);
        world.passTicking(1, 0);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1);
    }

    @Test
    void b14_expansionIsEvaluatedWhenABrokerBecomesEligible() {
        World world = threeWithTwoInSync(2);
        world.active(3, false);
        world.publishBrokers(1);
        world.fetch(3);
        assertThat(world.at(1).takeAlter()).isNull();
        world.active(3, true);
        world.publishBrokers(1);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1, 2, 3);
    }

    @Test
    void b14_aMemberThatWentSilentIsNotTakenBackUnheard() {
        // Given a mark frozen at 100 where 2 stopped, which stays unfenced
        World world = new World(2, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 0, List.of(1, 2)));
        world.fetch(2);
        world.append(1, 10);
        world.passTicking(1, World.LAG_MS + 1);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1);
        // When the shrink is applied
        world.publish(world.state(1, 0, 1, List.of(1), 2), 1);
        // Then 2 is at the mark, but nobody hears it; its next fetch brings it back
        world.passTicking(1, 60_000);
        assertThat(world.at(1).takeAlter()).isNull();
        world.fetch(2);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1, 2);
    }

    @Test
    void b9_severalJoinInOneExpansion() {
        World world = new World(1, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1)));
        world.active(2, false);
        world.active(3, false);
        world.publishBrokers(1);
        world.fetch(2);
        world.fetch(3);
        world.active(2, true);
        world.active(3, true);
        world.publishBrokers(1);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1, 2, 3);
        assertThat(world.at(1).alters).isEmpty();
    }

    @Test
    void b12_aLowerMinIsrReleasesTheMarkAtOnce() {
        World world = new World(2, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1), 2), 1);
        world.append(1, 10);
        assertThat(world.at(1).mark()).isEqualTo(100);
        world.publish(world.state(1, 1, 0, 2, List.of(1)), 1);
        assertThat(world.at(1).mark()).isEqualTo(110);
    }

    @Test
    void b12_aFencedOutsiderStopsHoldingTheMark() {
        World world = underLoad();
        Node leader = world.at(1);
        world.fetch(2);
        world.refuse(1, leader.takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        world.append(1, 10);
        assertThat(leader.mark()).isEqualTo(100);
        world.active(2, false);
        world.publishBrokers(1);
        assertThat(leader.mark()).isEqualTo(110);
    }

    @Test
    void o14_anOutsiderThatNoLongerKeepsUpStopsHoldingTheMarkByTime() {
        World world = underLoad();
        Node leader = world.at(1);
        world.fetch(2);
        world.refuse(1, leader.takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        world.append(1, 10);
        // It is not proposed again meanwhile: the controller keeps refusing.
        for (int i = 0; i < 70; i++) {
            world.passTicking(1, 500);
            Effect.SendAlter again = leader.takeAlter();
            if (again != null) {
                world.refuse(1, again, ErrorCode.INELIGIBLE_REPLICA);
            }
        }
        assertThat(leader.mark()).isEqualTo(110);
    }
}
