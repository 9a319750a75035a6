package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a leader changes its ISR, and what the high watermark and acks do meanwhile: scenarios of the rules by number. */
class IsrScenariosTest {
    private static List<Integer> proposed(Effect.SendAlter alter) {
        return alter.request().isr().stream()
                .map(QuorumCommand.IsrMember::brokerId)
                .toList();
    }

    /** S5's start: replicas [1,2], ISR=[1] PE 1, LEO=HW=100, and 2 has just fetched at 100. */
    private static World expanding() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1)));
        world.fetch(2);
        return world;
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

    @Test
    void s5_pendingExpansionHoldsTheMark() {
        World world = expanding();
        Node leader = world.at(1);
        Effect.SendAlter alter = leader.takeAlter();
        assertThat(proposed(alter)).containsExactly(1, 2);
        assertThat(alter.request().isr())
                .containsExactly(new QuorumCommand.IsrMember(1, 11), new QuorumCommand.IsrMember(2, 12));
        assertThat(alter.request().partitionEpoch()).isEqualTo(1);
        assertThat(alter.request().leaderEpoch()).isZero();
        assertThat(alter.request().recovering()).isFalse();
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);

        world.append(1, 5);
        assertThat(leader.end()).isEqualTo(105);
        assertThat(leader.mark()).isEqualTo(100);

        world.fetch(2);
        assertThat(leader.mark()).as("2 has not acknowledged 100..104 yet").isEqualTo(100);
        world.fetch(2);
        assertThat(leader.mark()).isEqualTo(105);
        assertThat(leader.replica.isr().isr()).containsExactly(1);

        world.accept(1, alter, 0, 2, List.of(1, 2));
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 2)));
        assertThat(leader.replica.state().partitionEpoch()).isEqualTo(2);
    }

    @Test
    void s5_variant_refusedExpansionLetsTheMarkGo() {
        World world = expanding();
        Node leader = world.at(1);
        world.append(1, 5);
        world.active(2, false);
        world.publishBrokers(1);
        assertThat(leader.mark()).as("still in the maximal ISR").isEqualTo(100);

        world.refuse(1, leader.takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1)));
        world.append(1, 1);
        assertThat(leader.mark()).isEqualTo(106).isEqualTo(leader.end());
        assertThat(leader.alters).as("a fenced replica is not proposed").isEmpty();
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

    @Test
    void s6a_acceptedShrinkReleasesTheMark() {
        World world = shrinking();
        Node leader = world.at(1);
        Effect.SendAlter alter = leader.takeAlter();
        assertThat(proposed(alter)).containsExactly(1);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingShrink.class);
        long produced = world.produce(1, -1, "x");
        assertThat(leader.mark()).isEqualTo(100);

        world.publish(world.state(1, 0, 1, List.of(1)), 1);
        world.accept(1, alter, 0, 1, List.of(1));
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1)));
        assertThat(leader.mark()).isEqualTo(151);
        assertThat(leader.answer(produced)).isEqualTo(ReplicaError.NONE);
    }

    @Test
    void s6b_fencedLeaderStaysPendingForEver() {
        World world = shrinking();
        Node leader = world.at(1);
        long produced = world.produce(1, -1, "x");
        world.refuse(1, leader.takeAlter(), ErrorCode.FENCED_LEADER_EPOCH);
        world.passTicking(1, 60_000);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingShrink.class);
        assertThat(leader.mark()).isEqualTo(100);
        assertThat(leader.alters).isEmpty();
        assertThat(leader.answer(produced)).isNull();

        world.publish(world.state(2, 1, 1, List.of(2)), 1);
        assertThat(leader.answer(produced)).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void s6b_variant_theProduceTimesOut() {
        World world = shrinking();
        Node leader = world.at(1);
        long produced = world.produce(1, -1, "x");
        world.refuse(1, leader.takeAlter(), ErrorCode.FENCED_LEADER_EPOCH);
        world.passTicking(1, 120_001);
        assertThat(leader.answer(produced)).isEqualTo(ReplicaError.REQUEST_TIMED_OUT);
    }

    @Test
    void s6c_retriableErrorSendsTheSameRequestAgain() {
        World world = shrinking();
        Node leader = world.at(1);
        Effect.SendAlter first = leader.takeAlter();
        world.refuse(1, first, ErrorCode.UNKNOWN_SERVER_ERROR);
        assertThat(leader.alters).isEmpty();
        world.passTicking(1, leader.settings.alterRetryMs());
        assertThat(leader.takeAlter()).isEqualTo(first);
        assertThat(leader.mark()).isEqualTo(100);
    }

    /** One round of S7: the leader appends between any two fetches of 2, which never sees the end. */
    private static void load(World world) {
        for (int i = 0; i < 30; i++) {
            World.Request request = world.ask(2);
            world.append(1, 10);
            World.Answer answer = world.serve(request, 10);
            world.at(2).receive(world.now, answer);
            world.pass(100);
        }
    }

    private static World underLoad() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1)));
        return world;
    }

    @Test
    void s7_aReplicaThatKeepsUpGetsInUnderLoad() {
        World world = underLoad();
        Node leader = world.at(1);
        load(world);
        assertThat(leader.has(Effect.SendAlter.class)).isTrue();
        assertThat(leader.mark()).isLessThanOrEqualTo(world.at(2).end());
        assertThat(leader.end()).isGreaterThan(world.at(2).end() - 1);
    }

    @Test
    void s7_theMarkIsHeldAtTheEndOfAReplicaThatWaitsToJoin() {
        World world = underLoad();
        Node leader = world.at(1);
        world.append(1, 10);
        assertThat(leader.mark()).as("nobody waits yet").isEqualTo(110);
        world.fetch(2);
        world.append(1, 10);
        // 2 asks at 110 = the leader's end at its previous fetch: caught up as of then (R4.12), and at the mark.
        world.append(1, 10);
        long markBefore = leader.mark();
        world.fetch(2);
        world.append(1, 10);
        assertThat(leader.mark()).isEqualTo(markBefore);
    }

    @Test
    void s7_control_aFencedReplicaDoesNotHoldTheMark() {
        World world = underLoad();
        world.active(2, false);
        world.publishBrokers(1);
        load(world);
        assertThat(world.at(1).mark()).isEqualTo(world.at(1).end());
        assertThat(world.at(1).has(Effect.SendAlter.class)).isFalse();
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
    void s8_aNewIncarnationIsProposedOnlyOnItsOwnFetch() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        world.fetch(3);
        Effect.SendAlter alter = leader.takeAlter();
        assertThat(alter.request().isr())
                .containsExactly(
                        new QuorumCommand.IsrMember(1, 11),
                        new QuorumCommand.IsrMember(2, 12),
                        new QuorumCommand.IsrMember(3, 13));
        // 3 crashes and comes back as epoch 40 with an empty log; the leader has not heard.
        world.refuse(1, alter, ErrorCode.INELIGIBLE_REPLICA);
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 2)));
        world.restart(3, ModelLog.of(""), 0, 40);
        world.registered(3, 13);
        world.publish(world.state(1, 0, 1, List.of(1, 2)), 3);
        world.pass(World.LAG_MS / 2);
        world.catchUp(3);
        assertThat(leader.takeAlter()).as("heard as 40, registered as 13").isNull();
        // The leader hears of the registration: 3's last fetch carried 40, and it is at the mark.
        world.registered(3, 40);
        world.publishBrokers(1);
        assertThat(leader.takeAlter().request().isr()).contains(new QuorumCommand.IsrMember(3, 40));
    }

    @Test
    void s8_variant_theCacheKnowsTheNewIncarnationFirst() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        world.registered(3, 40);
        world.publishBrokers(1);
        World.Request late = new World.Request(3, 13, world.ask(3).position());
        world.serve(late);
        assertThat(leader.takeAlter()).isNull();
        world.serve(new World.Request(3, 40, late.position()));
        assertThat(proposed(leader.takeAlter())).containsExactly(1, 2, 3);
    }

    @Test
    void s9_aLateFetchOfTheEarlierIncarnationIsRefused() {
        World world = threeWithTwoInSync(2);
        world.registered(3, 40);
        world.publishBrokers(1);
        FetchPosition position = world.ask(3).position();
        Effect refused = world.look(1, new World.Request(3, 13, position));
        assertThat(((Effect.ReadRefused) refused).error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        world.append(1, 1);
        world.fetch(2);
        world.fetch(2);
        assertThat(world.at(1).mark())
                .as("3 was not recorded, it holds nothing")
                .isEqualTo(101);

        Effect allowed = world.look(1, new World.Request(3, -1, position));
        assertThat(allowed).as("a sender without epochs (core only, B15)").isInstanceOf(Effect.ReadAllowed.class);
    }

    @Test
    void s11_aStaleAnswerIsIgnored() {
        for (ErrorCode late : List.of(ErrorCode.NONE, ErrorCode.INELIGIBLE_REPLICA, ErrorCode.UNKNOWN_SERVER_ERROR)) {
            World world = threeWithTwoInSync(1);
            Node leader = world.at(1);
            world.fetch(3);
            Effect.SendAlter alter = leader.takeAlter();
            // The controller has fenced both.
            world.active(2, false);
            world.active(3, false);
            world.publish(world.state(1, 0, 2, List.of(1)), 1);
            assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1)));
            if (late == ErrorCode.NONE) {
                world.accept(1, alter, 0, 2, List.of(1, 2, 3));
            } else {
                world.refuse(1, alter, late);
            }
            assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1)));
            assertThat(leader.replica.state().partitionEpoch()).isEqualTo(2);
            world.passTicking(1, 1000);
            assertThat(leader.alters).isEmpty();
        }
    }

    @Test
    void s11_variant_theAnswerComesBeforeTheMetadata() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        world.fetch(3);
        Effect.SendAlter alter = leader.takeAlter();
        world.acceptAt(1, alter, 5, 0, 2, List.of(1, 2, 3));
        assertThat(leader.replica.isr())
                .as("the image has not reached the answer's index (B3)")
                .isInstanceOf(IsrState.PendingExpand.class);
        world.publish(world.state(1, 0, 2, List.of(1, 2, 3)), 1);
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 2, 3)));
        assertThat(leader.replica.state().partitionEpoch()).isEqualTo(2);
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

    @Test
    void s23_acksAllAtTheEdgeOfTheMinIsr() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        long acked = world.produce(1, -1, "x");
        assertThat(leader.answer(acked)).isNull();
        world.fetch(2);
        assertThat(leader.answer(acked))
                .as("2 has been sent 100, but has not acknowledged it")
                .isNull();
        world.fetch(2);
        assertThat(leader.mark()).isEqualTo(101);
        assertThat(leader.answer(acked)).isEqualTo(ReplicaError.NONE);

        // The ISR becomes [1] before the mark gets there.
        long frozen = world.produce(1, -1, "y");
        world.publish(world.state(1, 0, 2, List.of(1), 2), 1);
        world.fetch(2);
        world.fetch(2);
        assertThat(leader.mark()).isEqualTo(101);
        assertThat(leader.end()).isEqualTo(102);

        // ISR [1] at arrival.
        long refused = world.produce(1, -1, "z");
        assertThat(leader.answer(refused)).isEqualTo(ReplicaError.NOT_ENOUGH_REPLICAS);
        assertThat(leader.end()).isEqualTo(102);

        leader.takeAlter();
        world.pass(120_000);
        world.tick(1);
        assertThat(leader.answer(frozen)).isEqualTo(ReplicaError.REQUEST_TIMED_OUT);
    }

    @Test
    void s25_aBrokerInControlledShutdownNeitherJoinsNorHolds() {
        World world = new World(1, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.active(1, false);
        world.publish(world.state(2, 1, 1, List.of(2, 3)));
        world.catchUp(3);
        world.fetch(1);
        assertThat(world.at(2).takeAlter()).isNull();
        world.append(2, 1);
        world.catchUp(3);
        assertThat(world.at(2).mark()).isEqualTo(101);
        assertThat(world.at(1).end()).isEqualTo(100);
    }

    @Test
    void s30_aLostAnswerHasOneEffect() {
        World world = expanding();
        Node leader = world.at(1);
        Effect.SendAlter alter = leader.takeAlter();
        world.loseAnswer(1, alter);
        world.passTicking(1, leader.settings.alterRetryMs());
        assertThat(leader.takeAlter()).as("the same request again").isEqualTo(alter);
        world.refuse(1, alter, ErrorCode.INVALID_UPDATE_VERSION);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 2)));
    }

    @Test
    void s30_variant_aControllerThatIsBehindIsAskedAgain() {
        World world = expanding();
        Node leader = world.at(1);
        Effect.SendAlter alter = leader.takeAlter();
        world.refuse(1, alter, ErrorCode.NOT_CONTROLLER);
        world.passTicking(1, leader.settings.alterRetryMs());
        assertThat(leader.takeAlter()).isEqualTo(alter);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
    }

    @Test
    void s31_sameLeaderNewEpochKeepsTheEnds() {
        World world = threeWithTwoInSync(2);
        Node leader = world.at(1);
        world.append(1, 5);
        world.fetch(2);
        world.fetch(2);
        assertThat(leader.mark()).isEqualTo(105);
        World.Request old = world.ask(2);
        world.append(1, 1);
        world.fetch(2);
        world.publish(world.state(1, 1, 2, List.of(1, 2)));
        assertThat(leader.replica.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 106));
        assertThat(leader.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 106));
        assertThat(leader.mark()).as("2 acknowledged 105, and keeps that").isEqualTo(105);
        Effect refused = world.look(1, old);
        assertThat(((Effect.ReadRefused) refused).error()).isEqualTo(ReplicaError.FENCED_LEADER_EPOCH);
        world.fetch(2);
        assertThat(leader.mark()).isEqualTo(106);

        // The times of members start anew with the epoch: a full limit from here, no shrink before.
        world.append(1, 1);
        world.passTicking(1, World.LAG_MS);
        assertThat(leader.takeAlter()).isNull();
        world.passTicking(1, 1);
        assertThat(proposed(leader.takeAlter())).containsExactly(1);
    }

    @Test
    void b18_k1_metadataWithTheSameEpochsKeepsWhatIsPending() {
        World world = new World(2, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        world.publish(world.state(1, 0, 1, List.of(1, 3)));
        world.fetch(3);
        world.fetch(2);
        Node leader = world.at(1);
        assertThat(proposed(leader.takeAlter())).containsExactly(1, 3, 2);
        world.publish(world.state(1, 0, 1, List.of(1, 3)));
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
        long produced = world.produce(1, -1, "x");
        world.fetch(3);
        world.fetch(3);
        assertThat(leader.mark()).as("2 may be in the ISR by now").isZero();
        assertThat(leader.answer(produced)).isNull();
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
    void b19_k2_aRefusalWithAnAttemptUnansweredIsCancelled() {
        World world = expansionOfUnknownFate();
        Node leader = world.at(1);
        world.active(2, false);
        world.publishBrokers(1);
        world.refuse(1, leader.takeAlter(), ErrorCode.INELIGIBLE_REPLICA);
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.Cancelling.class);
        Effect.SendAlter cancel = leader.takeAlter();
        assertThat(cancel.request().kind()).isEqualTo(QuorumCommand.IsrProposal.Kind.CANCEL);
        assertThat(proposed(cancel)).containsExactly(1, 3);
        assertThat(cancel.request().partitionEpoch()).isEqualTo(1);

        long produced = world.produce(1, -1, "x");
        world.fetch(3);
        world.fetch(3);
        assertThat(leader.mark()).as("the first attempt may still be accepted").isZero();
        assertThat(leader.answer(produced)).isNull();

        world.accept(1, cancel, 0, 2, List.of(1, 3));
        world.publish(world.state(1, 0, 2, List.of(1, 3)));
        assertThat(leader.replica.isr()).isEqualTo(new IsrState.Committed(List.of(1, 3)));
        assertThat(leader.mark()).isEqualTo(1);
        assertThat(leader.answer(produced)).isEqualTo(ReplicaError.NONE);
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
    void r2_30_aLateRefusalOfAnEarlierLeadershipIsNotTakenForThisOne() {
        // Given a proposal of LE 0 whose attempt is still under way when the leadership goes to 2 and comes back
        World world = new World(2, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        world.publish(world.state(1, 0, 1, List.of(1, 3)));
        world.fetch(3);
        world.fetch(2);
        Node leader = world.at(1);
        Effect.SendAlter old = leader.takeAlter();
        world.publish(world.state(3, 1, 2, List.of(3, 1)), 1);
        world.publish(world.state(1, 2, 3, List.of(1, 3)));
        // When this leadership proposes 2, and the refusal of the old proposal arrives
        world.fetch(3);
        world.fetch(2);
        Effect.SendAlter fresh = leader.takeAlter();
        assertThat(proposed(fresh)).containsExactly(1, 3, 2);
        world.refuse(1, old, ErrorCode.INELIGIBLE_REPLICA);
        // Then the joiner of the fresh one, which may be accepted any moment, still counts
        assertThat(leader.replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
        world.append(1, 1);
        world.fetch(3);
        world.fetch(3);
        assertThat(leader.mark()).isZero();
    }

    @Test
    void b20_k3_endsAreForgottenIfMetadataSkipsALeader() {
        World world = new World(2, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        world.publish(world.state(1, 0, 0, List.of(1, 2, 3)));
        world.append(1, 1);
        world.fetch(2);
        world.fetch(2);
        Node leader = world.at(1);
        assertThat(leader.mark()).as("3 has not fetched").isZero();
        // 3 led LE 1 and was fenced; 1 hears of both at once.
        world.publish(world.state(1, 2, 2, List.of(1, 2)), 1);
        assertThat(leader.mark()).as("what 2 had may be cut by now").isZero();
        assertThat(leader.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 2, 1));
    }

    @Test
    void b20_control_theVeryNextEpochKeepsTheEnds() {
        World world = new World(2, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        world.publish(world.state(1, 0, 0, List.of(1, 2, 3)));
        world.append(1, 1);
        world.fetch(2);
        world.fetch(2);
        world.publish(world.state(1, 1, 1, List.of(1, 2)), 1);
        assertThat(world.at(1).mark()).isEqualTo(1);
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
    void b7_aJoinerHasTheLagLimitFromItsJoining() {
        // Given a mark that is frozen at 100 by the min ISR while the leader is far ahead
        World world = new World(2, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1)));
        world.append(1, 50);
        // When 2 reaches the mark and joins, still 50 behind
        world.serve(world.ask(2));
        world.accept(1, world.at(1).takeAlter(), 0, 2, List.of(1, 2));
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        // Then it is not thrown out again before it had time to fetch
        world.passTicking(1, World.LAG_MS);
        assertThat(world.at(1).takeAlter()).isNull();
        world.passTicking(1, 1);
        assertThat(proposed(world.at(1).takeAlter())).containsExactly(1);
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

    @Test
    void b22_nothingIsAcknowledgedBeforeTheWriteHasReturned() {
        World world = threeWithTwoInSync(1);
        Node leader = world.at(1);
        leader.writesAtOnce = false;
        long local = world.produce(1, 1, "x");
        long all = world.produce(1, -1, "y");
        assertThat(leader.replica.stagedEnd()).isEqualTo(102);
        assertThat(leader.end()).isEqualTo(100);
        assertThat(leader.answer(local)).isNull();
        World.Answer answer = world.fetch(2);
        assertThat(answer.batches()).isEmpty();
        leader.step(world.now, new ReplicaEvent.Written(102));
        assertThat(leader.answer(local)).isEqualTo(ReplicaError.NONE);
        assertThat(leader.answer(all)).isNull();
        world.fetch(2);
        world.fetch(2);
        assertThat(leader.answer(all)).isEqualTo(ReplicaError.NONE);
    }

    @Test
    void i6_metadataOfAnOlderPartitionEpochIsSkipped() {
        // S34
        World world = threeWithTwoInSync(2);
        world.publish(world.state(1, 0, 6, List.of(1, 2, 3)), 1);
        world.publish(world.state(2, 0, 5, List.of(2)), 1);
        assertThat(world.at(1).replica.leads()).isTrue();
        assertThat(world.at(1).replica.state().partitionEpoch()).isEqualTo(6);
    }
}
