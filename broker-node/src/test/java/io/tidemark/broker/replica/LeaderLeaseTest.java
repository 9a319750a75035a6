package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whom a leader serves once no controller answers any more (B6). */
class LeaderLeaseTest {
    private static final long LENGTH = 2_250;
    private static final ReplicaError REFUSED = ReplicaError.NOT_LEADER_OR_FOLLOWER;

    private final World world = new World(1, 1, 2, 3);

    /** Leader 1 of ISR [1, 2, 3] or what the test says, all level, heard by a controller just now, all members fetching. */
    private void leader(List<Integer> isr, Integer... elr) {
        world.lease = LeaderLease.of(LENGTH);
        world.with(1, "0..99@0", 100).with(2, "0..99@0", 100).with(3, "0..99@0", 100);
        world.publish(world.state(1, 0, 0, isr, elr));
        world.lease.answered(new MonoTime(world.now));
    }

    private void serves() {
        assertThat(world.consume(1, 0).error()).isEqualTo(ReplicaError.NONE);
        assertThat(world.offset(1, ReplicaEvent.OffsetQuery.Bound.LATEST))
                .isEqualTo("" + world.at(1).mark());
        assertThat(world.at(1).answer(world.produce(1, 1, "x"))).isEqualTo(ReplicaError.NONE);
    }

    private void turnsClientsAway() {
        long end = world.at(1).end();
        assertThat(world.consume(1, 0).error()).isEqualTo(REFUSED);
        assertThat(world.offset(1, ReplicaEvent.OffsetQuery.Bound.LATEST)).isEqualTo(REFUSED.name());
        assertThat(world.at(1).answer(world.produce(1, 1, "x"))).isEqualTo(REFUSED);
        assertThat(world.at(1).answer(world.produce(1, 0, "x"))).isEqualTo(REFUSED);
        assertThat(world.at(1).end()).isEqualTo(end);
    }

    @Test
    void theLeaseIsCountedFromTheSendingAndNeverGoesBack() {
        LeaderLease lease = LeaderLease.of(LENGTH);
        assertThat(lease.runs(new MonoTime(0))).as("not granted yet").isFalse();
        lease.answered(new MonoTime(1_000));
        lease.answered(new MonoTime(900));
        assertThat(lease.runs(new MonoTime(1_000 + LENGTH - 1))).isTrue();
        assertThat(lease.runs(new MonoTime(1_000 + LENGTH))).isFalse();
        assertThat(LeaderLease.endless().runs(new MonoTime(Long.MAX_VALUE / 2))).isTrue();
    }

    @Test
    void whileItRunsNobodyElseNeedsToBeHeard() {
        leader(List.of(1, 2, 3));
        world.pass(LENGTH - 1);
        serves();
    }

    @Test
    void whenItHasRunOutSilentMembersMayBeServing() {
        leader(List.of(1, 2, 3));
        world.pass(LENGTH);
        turnsClientsAway();
        world.fetch(2);
        turnsClientsAway();
        world.fetch(3);
        serves();
        world.pass(LENGTH + 1);
        world.fetch(2);
        turnsClientsAway();
        world.lease.answered(new MonoTime(world.now));
        serves();
    }

    /** The simulation found it (seed 505715): a leader that did not know yet called a batch out of order whose predecessor another one had. */
    @Test
    void whatIsOutOfOrderHereMayBeInOrderAtAnother() {
        leader(List.of(1, 2, 3));
        ProducerVerdict outOfOrder =
                new ProducerVerdict.Refused(ReplicaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "expected 4");
        assertThat(produced(-1, outOfOrder)).isEqualTo(ReplicaError.OUT_OF_ORDER_SEQUENCE_NUMBER);
        world.pass(LENGTH);
        assertThat(produced(-2, outOfOrder)).isEqualTo(REFUSED);
    }

    private ReplicaError produced(long token, ProducerVerdict verdict) {
        world.at(1)
                .step(world.now, new ReplicaEvent.ProduceRequested(token, (short) -1, world.now + 1_000, 1, verdict));
        return world.at(1).answer(token);
    }

    @Test
    void acksOfAllNeverDependOnIt() {
        leader(List.of(1, 2, 3));
        world.pass(LENGTH);
        turnsClientsAway();
        long token = world.produce(1, -1, "x");
        assertThat(world.at(1).answer(token)).as("waits for the members").isNull();
        world.catchUp(2);
        assertThat(world.at(1).answer(token)).isNull();
        world.catchUp(3);
        assertThat(world.at(1).answer(token)).isEqualTo(ReplicaError.NONE);
    }

    @Test
    void whoCannotBeElectedNeedNotBeHeard() {
        leader(List.of(1, 2));
        world.pass(LENGTH);
        world.fetch(2);
        serves();
    }

    @Test
    void theOnlyMemberHasNoRival() {
        leader(List.of(1));
        world.pass(LENGTH);
        serves();
    }

    @Test
    void membersOfTheElrCanBeElected() {
        leader(List.of(1), 2);
        world.pass(LENGTH);
        turnsClientsAway();
        world.fetch(2);
        serves();
    }

    @Test
    void aJoinerThatMayHaveBeenAcceptedCanBeElected() {
        leader(List.of(1));
        world.fetch(2);
        assertThat(world.at(1).replica.isr()).isInstanceOf(IsrState.PendingExpand.class);
        world.pass(LENGTH + 1);
        turnsClientsAway();
    }

    @Test
    void aFollowerThatFetchesOtherPartitionsOnlyIsNotHeardHere() {
        leader(List.of(1, 2));
        world.fetch(2);
        world.pass(LENGTH + 1);
        world.heartbeatFetch(2);
        serves();
        world.leaveSession(2);
        turnsClientsAway();
        world.heartbeatFetch(2);
        turnsClientsAway();
        world.fetch(2);
        serves();
    }

    @Test
    void aFetchOfAnotherEpochIsNoEvidence() {
        leader(List.of(1, 2));
        world.pass(LENGTH + 1);
        world.publish(world.state(2, 1, 1, List.of(2)), 2, 3);
        assertThat(world.look(1, new World.Request(2, 12, new FetchPosition(1, 1, 100, 0, 0))))
                .isInstanceOf(Effect.ReadRefused.class);
        turnsClientsAway();
    }

    @Test
    void aWrongEpochIsSaidFirst() {
        leader(List.of(1, 2));
        world.pass(LENGTH);
        world.at(1).step(world.now, new ReplicaEvent.ConsumerFetch(-7, 4, 0, -1, false));
        assertThat(((Effect.ReadRefused) world.at(1).reads.get(-7L)).error())
                .isEqualTo(ReplicaError.UNKNOWN_LEADER_EPOCH);
    }

    @Test
    void readersThatWaitAreToldOnce() {
        leader(List.of(1, 2));
        Node leader = world.at(1);
        leader.step(world.now, new ReplicaEvent.Watch(5, false));
        assertThat(leader.step(world.now, new ReplicaEvent.LeaseRanOut()))
                .as("it still runs")
                .isEmpty();
        world.pass(LENGTH);
        assertThat(leader.step(world.now, new ReplicaEvent.LeaseRanOut())).anyMatch(Effect.Notify.class::isInstance);
        assertThat(leader.step(world.now, new ReplicaEvent.LeaseRanOut())).isEmpty();
        world.fetch(2);
        leader.step(world.now, new ReplicaEvent.LeaseRanOut());
        world.pass(LENGTH + 1);
        assertThat(leader.step(world.now, new ReplicaEvent.LeaseRanOut()))
                .as("turned away anew")
                .anyMatch(Effect.Notify.class::isInstance);
        world.lease.answered(new MonoTime(world.now));
        world.pass(LENGTH);
        assertThat(leader.step(world.now, new ReplicaEvent.LeaseRanOut()))
                .as("the next lease has run out")
                .anyMatch(Effect.Notify.class::isInstance);
    }

    @Test
    void s10_aLeaderThatIsCutOffTurnsClientsAwayOnceItsLeaseHasRunOut() {
        leader(List.of(1, 2, 3));
        world.fetch(2);
        world.fetch(3);
        world.publish(world.state(2, 1, 1, List.of(2, 3)), 2, 3);
        long lost = world.produce(1, 1, "z");
        assertThat(world.at(1).answer(lost)).as("until then it cannot know").isEqualTo(ReplicaError.NONE);
        assertThat(world.consume(1, 100).contents())
                .as("but it exposes nothing")
                .isEmpty();
        world.pass(LENGTH + 1);
        turnsClientsAway();
    }
}
