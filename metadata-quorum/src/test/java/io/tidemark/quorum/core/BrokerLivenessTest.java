package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import io.tidemark.model.metadata.QuorumCommand.ShutDownBroker;
import io.tidemark.model.metadata.QuorumCommand.UnfenceBroker;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BrokerLivenessTest {
    private static final long SESSION = 2500;
    private static final long TICK = 250;
    private static final String LEADS_NOTHING = "controlled shutdown of a broker that leads nothing";

    private final BrokerLiveness liveness = new BrokerLiveness(SESSION, TICK);
    private TestCluster c;
    private MonoTime now = new MonoTime(1_000);

    @BeforeEach
    void threeBrokersAndAPartitionLedByTheFirst() {
        c = TestCluster.baseline(3, 2, false);
        liveness.activate(7, c.image, now);
    }

    private HeartbeatOutcome beat(int id, boolean wantFence, boolean wantShutDown) {
        return beat(id, c.epoch(id), c.image.index(), wantFence, wantShutDown);
    }

    private HeartbeatOutcome beat(int id, long epoch, long index, boolean wantFence, boolean wantShutDown) {
        return liveness.heartbeat(c.image, new Heartbeat(id, epoch, index, wantFence, wantShutDown), now);
    }

    private static HeartbeatOutcome answer(boolean caughtUp, boolean fenced, boolean stop, QuorumCommand command) {
        return new HeartbeatOutcome(ErrorCode.NONE, caughtUp, fenced, stop, command);
    }

    /** Time passes in steps that the timer keeps to. */
    private List<BrokerRef> pass(long ms) {
        List<BrokerRef> expired = List.of();
        for (long end = now.ms() + ms; now.ms() < end && expired.isEmpty(); ) {
            now = now.plus(Math.min(TICK, end - now.ms()));
            expired = liveness.expired(c.image, now);
        }
        return expired;
    }

    private FenceBrokers fence(int id, String reason) {
        return new FenceBrokers(List.of(c.ref(id)), reason);
    }

    @Test
    void anIncarnationThatIsNotTheRegisteredOneIsRefused() {
        assertThat(beat(9, 1, 0, false, false).error()).isEqualTo(ErrorCode.BROKER_ID_NOT_REGISTERED);
        assertThat(beat(1, c.epoch(1) - 1, 0, false, false).error()).isEqualTo(ErrorCode.STALE_BROKER_EPOCH);
        liveness.deactivate();
        assertThat(beat(1, false, false).error()).isEqualTo(ErrorCode.NOT_CONTROLLER);
    }

    @Test
    void aProcessThatIsGoneHasNoSessionAndIsFencedOnce() {
        liveness.gone(c.ref(2), now);
        assertThat(liveness.sessionAlive(c.ref(2), now)).isFalse();
        assertThat(liveness.sessionAlive(c.ref(1), now)).isTrue();
        assertThat(liveness.expired(c.image, now)).as("its fence is under way").isEmpty();
        liveness.finished(fence(2, "process gone"));
        assertThat(liveness.expired(c.image, now)).as("but came to nothing").containsExactly(c.ref(2));
        liveness.gone(new BrokerRef(1, c.epoch(1) - 1), now);
        assertThat(liveness.sessionAlive(c.ref(1), now))
                .as("that was another incarnation")
                .isTrue();
    }

    @Test
    void anUnfencedBrokerIsToldSo() {
        assertThat(beat(1, false, false)).isEqualTo(answer(true, false, false, null));
    }

    @Test
    void aFencedBrokerIsUnfencedOnceItHasAppliedItsRegistration() {
        c.register(3, Return.CLEAN);
        assertThat(beat(3, c.epoch(3), c.epoch(3) - 1, false, false)).isEqualTo(answer(false, true, false, null));
        assertThat(beat(3, true, false)).as("and only if it wants to be").isEqualTo(answer(true, true, false, null));
        assertThat(beat(3, false, false)).isEqualTo(answer(true, true, false, new UnfenceBroker(c.ref(3))));
        c.unfence(3);
        assertThat(beat(3, false, false)).isEqualTo(answer(true, false, false, null));
    }

    @Test
    void aFencedBrokerThatWantsToStopMayStop() {
        c.fence(2);
        assertThat(beat(2, false, true)).isEqualTo(answer(true, true, true, null));
        assertThat(beat(2, true, true)).isEqualTo(answer(true, true, true, null));
    }

    @Test
    void aBrokerThatWantsTheFenceGetsIt() {
        assertThat(beat(1, true, false)).isEqualTo(answer(true, false, false, fence(1, "the broker asked for it")));
        c.fence(1);
        assertThat(beat(1, true, true)).isEqualTo(answer(true, true, true, null));
    }

    @Test
    void aBrokerThatLeadsNothingIsFencedAndThenMayStop() {
        assertThat(beat(2, false, true)).isEqualTo(answer(true, false, false, fence(2, LEADS_NOTHING)));
        c.fence(2);
        assertThat(beat(2, false, true).shouldShutDown()).isTrue();
    }

    @Test
    void s25LeaderMayStopOnceEveryActiveBrokerKnowsWhoLeadsInstead() {
        assertThat(beat(1, false, true)).isEqualTo(answer(true, false, false, new ShutDownBroker(c.ref(1))));
        c.shutDown(1);
        long began = c.image.broker(1).shutdownIndex();
        assertThat(beat(1, false, true)).as("2 and 3 were not heard of").isEqualTo(answer(true, false, false, null));
        beat(2, c.epoch(2), began, false, false);
        beat(3, c.epoch(3), began - 1, false, false);
        assertThat(beat(1, false, true)).as("3 is behind").isEqualTo(answer(true, false, false, null));
        beat(3, c.epoch(3), began, false, false);
        assertThat(beat(1, false, true))
                .isEqualTo(answer(true, false, false, fence(1, "controlled shutdown is complete")));
        c.fence(1);
        assertThat(beat(1, false, true)).isEqualTo(answer(true, true, true, null));
    }

    @Test
    void theLastBrokerWaitsForNobody() {
        c.fence(2, 3);
        c.shutDown(1);
        assertThat(beat(1, false, true).toSubmit()).isEqualTo(fence(1, "controlled shutdown is complete"));
    }

    @Test
    void aCommandIsAskedForOnceUntilItIsFinished() {
        QuorumCommand first = beat(2, false, true).toSubmit();
        assertThat(first).isNotNull();
        assertThat(beat(2, false, true).toSubmit()).isNull();
        liveness.finished(first);
        assertThat(beat(2, false, true).toSubmit()).isEqualTo(first);
        assertThat(beat(2, false, true).toSubmit()).isNull();
        now = now.plus(SESSION);
        assertThat(beat(2, false, true).toSubmit()).as("its answer never came").isEqualTo(first);
    }

    @Test
    void sessionsThatRunOutTogetherAreReportedTogether() {
        assertThat(pass(SESSION - 1)).isEmpty();
        beat(3, false, false);
        assertThat(liveness.sessionAlive(c.ref(1), now)).isTrue();
        assertThat(pass(1)).containsExactlyInAnyOrder(c.ref(1), c.ref(2));
        assertThat(liveness.sessionAlive(c.ref(1), now)).isFalse();
        assertThat(liveness.sessionAlive(c.ref(3), now)).isTrue();
        assertThat(pass(TICK)).as("asked for already").isEmpty();
        liveness.finished(new FenceBrokers(List.of(c.ref(1), c.ref(2)), "whatever"));
        assertThat(pass(TICK)).as("but it was not carried out").containsExactlyInAnyOrder(c.ref(1), c.ref(2));
    }

    @Test
    void aSignOfLifeInTimeKeepsTheSession() {
        for (int i = 0; i < 10; i++) {
            assertThat(pass(SESSION - 1)).isEmpty();
            List.of(1, 2, 3).forEach(id -> beat(id, false, false));
        }
    }

    @Test
    void anOlderIncarnationDoesNotKeepTheSession() {
        long old = c.epoch(2);
        pass(SESSION - 1);
        c.comeBack(2, Return.CLEAN);
        beat(1, false, false);
        beat(3, false, false);
        beat(2, old, c.image.index(), false, false);
        assertThat(pass(SESSION - 2)).as("the new one has a session of its own").isEmpty();
    }

    @Test
    void aTimerThatFiresLateProlongsTheSessionsByItsLateness() {
        pass(2000);
        long lateness = SESSION / 4 + 1;
        now = now.plus(TICK + lateness);
        assertThat(liveness.expired(c.image, now)).isEmpty();
        long left = SESSION - 2000 - TICK;
        assertThat(pass(left - 1)).isEmpty();
        assertThat(pass(1)).hasSize(3);
    }

    @Test
    void aTimerThatIsALittleLateDoesNot() {
        pass(2000);
        now = now.plus(TICK + SESSION / 4);
        assertThat(liveness.expired(c.image, now)).hasSize(3);
    }

    @Test
    void aBrokerHeardAfterTheLatenessGetsNoMoreThanAFreshSession() {
        now = now.plus(1_000_000);
        beat(1, false, false);
        assertThat(liveness.expired(c.image, now)).isEmpty();
        assertThat(pass(SESSION - TICK)).as("silent since the start").containsExactlyInAnyOrder(c.ref(2), c.ref(3));
        assertThat(pass(TICK - 1)).isEmpty();
        assertThat(pass(1)).containsExactly(c.ref(1));
    }

    @Test
    void theSessionOfAnEarlierIncarnationIsNoSessionOfTheNext() {
        beat(2, false, false);
        assertThat(liveness.sessionAlive(c.ref(2), now)).isTrue();
        c.register(2, TestCluster.Return.CLEAN);
        assertThat(liveness.sessionAlive(c.ref(2), now)).isFalse();
    }

    @Test
    void aNewTermBeginsWithFreshSessionsOfTheUnfenced() {
        c.fence(3);
        pass(SESSION - 1);
        liveness.activate(8, c.image, now);
        assertThat(liveness.term()).isEqualTo(8);
        assertThat(liveness.sessionAlive(c.ref(3), now)).isFalse();
        assertThat(pass(SESSION - 1)).isEmpty();
        assertThat(pass(1)).containsExactlyInAnyOrder(c.ref(1), c.ref(2));
    }

    @Test
    void theNextDeadlineIsTheTickOrTheFirstSessionToEnd() {
        assertThat(liveness.nextDeadline()).isEqualTo(now.plus(TICK));
        pass(SESSION - 100);
        assertThat(liveness.nextDeadline()).isEqualTo(now.plus(100));
        assertThat(pass(100)).hasSize(3);
        assertThat(liveness.nextDeadline())
                .as("those that ran out are not waited for")
                .isEqualTo(now.plus(TICK));
    }

    @Test
    void anEmptyClusterHasNothingToFence() {
        c = TestCluster.bootstrapped(Map.of());
        liveness.activate(9, c.image, now);
        assertThat(pass(3 * SESSION)).isEmpty();
    }

    /** R1.15: a broker that was fenced by its own wish is alive for as long as it was heard. */
    @Test
    void theSessionOfAFencedBrokerRunsOn() {
        beat(2, false, false);
        c.fence(2);
        pass(TICK);
        assertThat(liveness.sessionAlive(c.ref(2), now)).isTrue();
        pass(SESSION);
        assertThat(liveness.sessionAlive(c.ref(2), now)).isFalse();
    }
}
