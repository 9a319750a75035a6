package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.replica.Explanation.Absence;
import io.tidemark.broker.replica.Explanation.Hold;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** B11: what a replica says of itself, for each thing that can be in the way. */
class ExplanationTest {
    private static Explanation explain(World world, int broker) {
        return world.at(broker).replica.explain(new MonoTime(world.now));
    }

    private static Explanation.Leadership leader(World world) {
        return explain(world, 1).leadership();
    }

    private static Explanation.Follower follower(World world, int id) {
        return leader(world).followers().stream()
                .filter(follower -> follower.broker() == id)
                .findFirst()
                .orElseThrow();
    }

    /** Leader 1 with that ISR at PE 1; all logs end at 100 and so does the mark. */
    private static World three(int minIsr, Integer... isr) {
        World world = new World(minIsr, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(isr)));
        return world;
    }

    @Test
    void nothingHoldsTheMarkWhereAllIsReplicated() {
        World world = three(1, 1, 2, 3);
        world.fetch(2);
        world.fetch(3);
        assertThat(leader(world).mark()).isEqualTo(new Explanation.Mark(Hold.NOTHING, -1, List.of()));
        assertThat(leader(world).pending()).isNull();
        assertThat(leader(world).refusal()).isNull();
        assertThat(follower(world, 2).absence()).isEqualTo(Absence.NONE);
        assertThat(follower(world, 2).leavesInMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aMemberThatIsBehindHoldsTheMarkSinceRecordsLieAboveIt() {
        World world = three(1, 1, 2, 3);
        world.fetch(2);
        world.fetch(3);
        world.pass(5_000);
        world.append(1, 10);
        world.pass(700);
        world.fetch(3);
        world.fetch(3);
        world.pass(300);
        assertThat(leader(world).mark()).isEqualTo(new Explanation.Mark(Hold.FOLLOWER, 1_000, List.of(2)));
        Explanation.Follower two = follower(world, 2);
        assertThat(two.inIsr()).isTrue();
        assertThat(two.holdsMark()).isTrue();
        assertThat(two.end()).isEqualTo(100);
        assertThat(two.heardAgoMs()).isEqualTo(6_000);
        assertThat(two.caughtUpAgoMs()).isEqualTo(6_000);
        assertThat(two.leavesInMs()).isEqualTo(World.LAG_MS - 6_000);
        assertThat(follower(world, 3).end()).isEqualTo(110);
    }

    @Test
    void whenTheMarkMovesTheCountBeginsAnew() {
        World world = three(1, 1, 2);
        world.append(1, 10);
        world.pass(400);
        world.fetch(2);
        world.append(1, 10);
        world.pass(50);
        world.fetch(2);
        assertThat(world.at(1).mark()).isEqualTo(110);
        world.pass(70);
        assertThat(leader(world).mark()).isEqualTo(new Explanation.Mark(Hold.FOLLOWER, 70, List.of(2)));
    }

    @Test
    void bothThatAreFurthestBehindHoldTheMark() {
        World world = three(1, 1, 2, 3);
        world.fetch(2);
        world.fetch(3);
        world.append(1, 1);
        assertThat(leader(world).mark().holders()).containsExactlyInAnyOrder(2, 3);
    }

    @Test
    void belowMinIsrTheMarkIsFrozen() {
        World world = three(2, 1);
        world.at(1).takeAlter();
        world.append(1, 5);
        world.pass(2_000);
        assertThat(leader(world).mark()).isEqualTo(new Explanation.Mark(Hold.BELOW_MIN_ISR, 2_000, List.of()));
        assertThat(leader(world).committedIsr()).containsExactly(1);
    }

    @Test
    void aReportedMarkStandsUntilThePartitionEpochMoves() {
        World world = three(2, 1, 2);
        world.fetch(2);
        world.append(1, 50);
        world.passTicking(1, World.LAG_MS + 1);
        // It asks to go below the min ISR; 2 is back before the answer, and the mark may not follow it.
        world.fetch(2);
        world.fetch(2);
        assertThat(world.at(1).mark()).isEqualTo(100);
        assertThat(leader(world).mark().hold()).isEqualTo(Hold.REPORTED);
        assertThat(leader(world).pending().change()).isEqualTo(Explanation.Change.SHRINK);
    }

    @Test
    void aJoinerHoldsTheMarkWhileItsExpansionIsPending() {
        World world = three(1, 1, 2);
        world.fetch(2);
        world.fetch(3);
        world.pass(250);
        world.append(1, 5);
        world.fetch(2);
        world.fetch(2);
        assertThat(leader(world).mark().holders()).containsExactly(3);
        Explanation.Follower three = follower(world, 3);
        assertThat(three.inIsr()).isFalse();
        assertThat(three.holdsMark()).isTrue();
        assertThat(three.absence()).isEqualTo(Absence.JOINING);
        Explanation.Pending pending = leader(world).pending();
        assertThat(pending.change()).isEqualTo(Explanation.Change.EXPAND);
        assertThat(pending.brokers()).containsExactly(3);
        assertThat(pending.proposed()).containsExactly(1, 2, 3);
        assertThat(pending.ageMs()).isEqualTo(250);
        assertThat(pending.accepted()).isFalse();
        assertThat(pending.unknownAttempt()).isFalse();
        assertThat(pending.resendInMs()).isEqualTo(Explanation.NEVER_MS);
        assertThat(pending.reason()).contains("[3]");
    }

    @Test
    void anAcceptedChangeWaitsForTheMetadata() {
        World world = three(1, 1, 2);
        world.fetch(3);
        world.acceptAt(1, world.at(1).takeAlter(), 1_000, 0, 2, List.of(1, 2, 3));
        assertThat(leader(world).pending().accepted()).isTrue();
    }

    @Test
    void anAttemptWithoutAnAnswerIsToldAndWhenTheNextOneComes() {
        World world = three(1, 1, 2);
        world.fetch(3);
        world.loseAnswer(1, world.at(1).takeAlter());
        assertThat(leader(world).pending().unknownAttempt()).isTrue();
        assertThat(leader(world).pending().resendInMs())
                .isEqualTo(world.at(1).settings.alterRetryMs());
    }

    @Test
    void aRefusedJoinerWaitsAndTheRefusalIsRemembered() {
        World world = three(1, 1, 2);
        world.fetch(3);
        world.refuse(1, world.at(1).takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        world.pass(100);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.REFUSED);
        assertThat(follower(world, 3).retryInMs())
                .isEqualTo(world.at(1).settings.refusedRetryMs() - 100);
        assertThat(leader(world).pending()).isNull();
        Explanation.Refusal refusal = leader(world).refusal();
        assertThat(refusal.error()).isEqualTo(ErrorCode.INELIGIBLE_REPLICA);
        assertThat(refusal.proposed()).containsExactly(1, 2, 3);
        assertThat(refusal.agoMs()).isEqualTo(100);
        assertThat(world.at(1).effects).contains(new Effect.Happened(Effect.Happening.ISR_UPDATE_REFUSED));
    }

    @Test
    void anotherChangeComesFirst() {
        World world = three(1, 1, 2);
        world.fetch(2);
        world.append(1, 5);
        world.passTicking(1, World.LAG_MS + 1);
        assertThat(leader(world).pending().change()).isEqualTo(Explanation.Change.SHRINK);
        world.fetch(3);
        world.fetch(3);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.OTHER_CHANGE_FIRST);
    }

    @Test
    void whyAReplicaIsNotInTheIsr() {
        World world = three(1, 1, 2);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.NEVER_FETCHED);
        assertThat(follower(world, 3).end()).isEqualTo(-1);
        assertThat(follower(world, 3).heardAgoMs()).isEqualTo(Explanation.NEVER_MS);

        world.active(3, false);
        world.publishBrokers(1);
        world.fetch(3);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.NOT_ACTIVE);

        world.views.remove(3);
        world.publishBrokers(1);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.NOT_REGISTERED);

        world.views.put(3, new BrokerView(3, 99, true));
        world.publishBrokers(1);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.OLD_INCARNATION);
    }

    @Test
    void aReplicaBelowTheMarkOrSilentDoesNotJoin() {
        World world = new World(1, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..49@0", 50);
        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.fetch(3);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.BELOW_MARK);
        world.pass(World.LAG_MS + 1);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.SILENT);
    }

    @Test
    void aReplicaBelowTheEpochsStartDoesNotJoin() {
        World world = new World(1, 1, 2, 3)
                .with(1, "0..109@0", 100)
                .with(2, "0..109@0", 100)
                .with(3, "0..104@0", 100);
        world.publish(world.state(1, 1, 1, List.of(1, 2)));
        world.fetch(3);
        assertThat(leader(world).epochStart()).isEqualTo(110);
        assertThat(follower(world, 3).absence()).isEqualTo(Absence.BELOW_EPOCH_START);
    }

    @Test
    void aFollowerTellsWhatItDoesAndHowFarItIsBehind() {
        World world = three(1, 1, 2, 3);
        assertThat(explain(world, 2).leadership()).isNull();
        assertThat(explain(world, 2).followership().toldAgoMs()).isEqualTo(Explanation.NEVER_MS);
        world.append(1, 10);
        world.fetch(2);
        world.fetch(3);
        world.fetch(2);
        world.fetch(3);
        world.fetch(2);
        world.pass(40);
        Explanation.Followership two = explain(world, 2).followership();
        assertThat(two.leader()).isEqualTo(1);
        assertThat(two.activity()).isEqualTo(Explanation.Activity.FETCHING);
        assertThat(two.fetchOffset()).isEqualTo(110);
        assertThat(two.leaderMark()).isEqualTo(110);
        assertThat(two.toldAgoMs()).isEqualTo(40);
        assertThat(world.at(2).replica.followerLag()).isZero();

        World.Request request = world.ask(3);
        world.at(3)
                .receive(
                        world.now,
                        World.answer(
                                request.position(),
                                ReplicaError.KAFKA_STORAGE_ERROR,
                                EpochAndOffset.UNDEFINED,
                                -1,
                                -1,
                                List.of()));
        Explanation.Followership three = explain(world, 3).followership();
        assertThat(three.activity()).isEqualTo(Explanation.Activity.DELAYED);
        assertThat(three.delayedForMs()).isEqualTo(world.at(3).settings.fetchBackoffMs());
        assertThat(three.lastError()).isEqualTo(ReplicaError.KAFKA_STORAGE_ERROR);
    }

    @Test
    void theLagOfAFollowerIsCountedFromTheLeadersMarkAsToldLast() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..49@0", 50);
        world.publish(world.state(1, 0, 1, List.of(1)));
        world.at(2).receive(world.now, world.serve(world.ask(2), 10));
        assertThat(world.at(2).end()).isEqualTo(60);
        assertThat(world.at(2).replica.followerLag()).isEqualTo(40);
        assertThat(world.at(1).replica.followerLag()).isZero();
    }

    @Test
    void withoutALeaderThereIsTheMetadata() {
        World world = three(1, 1, 2, 3);
        world.publish(world.state(-1, 0, 2, List.of(1), 2));
        Explanation one = explain(world, 1);
        assertThat(one.followership()).isNull();
        assertThat(one.state().partitionEpoch()).isEqualTo(2);
    }

    @Test
    void leaversAndJoinersAreCountedWhoeverAskedForThem() {
        World world = three(1, 1, 2, 3);
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        assertThat(world.at(1).effects).contains(new Effect.Happened(Effect.Happening.ISR_SHRANK));
        assertThat(world.at(2).effects).doesNotContain(new Effect.Happened(Effect.Happening.ISR_SHRANK));
        world.publish(world.state(2, 1, 3, List.of(2)));
        assertThat(world.at(2).effects)
                .as("the leader that comes in the same change counts it")
                .contains(new Effect.Happened(Effect.Happening.ISR_SHRANK));
        world.publish(world.state(2, 1, 4, List.of(2, 3)));
        assertThat(world.at(2).effects).contains(new Effect.Happened(Effect.Happening.ISR_EXPANDED));
    }
}
