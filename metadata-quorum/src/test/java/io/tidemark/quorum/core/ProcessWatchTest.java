package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.quorum.core.ProcessWatch.Event;
import io.tidemark.quorum.core.ProcessWatch.Order;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The table of {@link ProcessWatch}, row by row (B5). */
class ProcessWatchTest {
    private static final long SESSION = 2_500;
    private static final long INTERVAL = 250;
    private static final long TICK = 50;
    private static final String GONE = "process gone, connection refused twice and no heartbeat";

    private final ProcessWatch watch = new ProcessWatch(SESSION, INTERVAL, TICK);
    private final List<Order> orders = new ArrayList<>();
    private TestCluster c;
    private MonoTime now = new MonoTime(5_000);
    private BrokerRef one;

    @BeforeEach
    void oneUnfencedBroker() {
        c = TestCluster.baseline(1, 1, false);
        one = c.ref(1);
        watch.activate(now);
        assertThat(watch.step(c.image, now)).containsExactly(connect(1));
    }

    private Order connect(int id) {
        return new Order.Connect(c.ref(id), new Endpoint("PLAINTEXT", "localhost", 9000 + id));
    }

    private Order fence(BrokerRef... brokers) {
        return new Order.Fence(List.of(brokers), GONE);
    }

    private void happens(Event event) {
        watch.happened(one, event, now);
    }

    private void beat() {
        watch.heartbeat(one, now);
    }

    /** Time passes in steps that the timer keeps to; every attempt to connect ends at once like that (null: not at all). */
    private List<Order> pass(long ms, Event everyAttempt) {
        orders.clear();
        for (long end = now.ms() + ms; now.ms() < end; ) {
            now = now.plus(Math.min(TICK, end - now.ms()));
            for (Order order : watch.step(c.image, now)) {
                orders.add(order);
                if (order instanceof Order.Connect connect && everyAttempt != null) {
                    watch.happened(connect.broker(), everyAttempt, now);
                }
            }
        }
        return List.copyOf(orders);
    }

    private void open() {
        happens(Event.CONNECTED);
        beat();
        pass(1_000, null);
        assertThat(orders).isEmpty();
        assertThat(watch.fastPathOff()).isEmpty();
    }

    @Test
    void aDeadProcessIsFencedAnIntervalAfterTheLoss() {
        open();
        happens(Event.CLOSED);
        assertThat(watch.step(c.image, now)).as("reconnect at once").containsExactly(connect(1));
        happens(Event.REFUSED);
        assertThat(pass(99, Event.REFUSED)).as("one refusal is not enough").isEmpty();
        assertThat(pass(1, Event.REFUSED)).containsExactly(connect(1));
        assertThat(pass(149, Event.REFUSED)).as("an interval is not over").containsExactly(connect(1));
        assertThat(pass(1, Event.REFUSED)).containsExactly(fence(one));
        assertThat(pass(10_000, Event.REFUSED)).as("said once").isEmpty();
    }

    @Test
    void theNextStepIsNoLaterThanTheVerdict() {
        open();
        happens(Event.CLOSED);
        assertThat(watch.nextStep()).isEqualTo(now);
        MonoTime loss = now;
        boolean fenced = false;
        while (!fenced) {
            for (Order order : watch.step(c.image, now)) {
                if (order instanceof Order.Connect) {
                    happens(Event.REFUSED);
                }
                fenced |= order instanceof Order.Fence;
            }
            assertThat(watch.nextStep()).isGreaterThan(now);
            now = fenced ? now : watch.nextStep();
        }
        assertThat(now.since(loss)).isEqualTo(INTERVAL);
    }

    @Test
    void severalDeadProcessesAreFencedByOneDecision() {
        c = TestCluster.baseline(3, 2, false);
        watch.activate(now);
        watch.step(c.image, now);
        for (int id = 1; id <= 3; id++) {
            watch.happened(c.ref(id), Event.CONNECTED, now);
            watch.heartbeat(c.ref(id), now);
        }
        watch.happened(c.ref(1), Event.CLOSED, now);
        watch.happened(c.ref(3), Event.CLOSED, now);
        assertThat(pass(INTERVAL, Event.REFUSED)).contains(fence(c.ref(1), c.ref(3)));
    }

    @Test
    void aNewControllerCountsARefusalAsALoss() {
        happens(Event.REFUSED);
        assertThat(pass(INTERVAL - 1, Event.REFUSED)).doesNotContain(fence(one));
        assertThat(pass(1, Event.REFUSED)).containsExactly(fence(one));
    }

    @Test
    void aPausedProcessAcceptsAndIsLeftToItsSession() {
        open();
        happens(Event.CLOSED);
        assertThat(pass(10_000, Event.CONNECTED)).containsExactly(connect(1));
        assertThat(watch.fastPathOff()).isEmpty();
    }

    @Test
    void acceptedAndResetAtOnceIsUndecidedAndNoHotLoop() {
        happens(Event.CONNECTED);
        for (int i = 0; i < 100; i++) {
            happens(Event.CLOSED);
            assertThat(pass(99, null)).isEmpty();
            assertThat(pass(1, null)).containsExactly(connect(1));
            happens(Event.CONNECTED);
        }
    }

    @Test
    void aTimeoutIsUndecided() {
        open();
        happens(Event.CLOSED);
        assertThat(pass(999, Event.FAILED)).containsExactly(connect(1));
        assertThat(watch.fastPathOff()).containsOnlyKeys(1);
        assertThat(pass(10_000, Event.FAILED)).as("once a second").hasSize(10).containsOnly(connect(1));
        assertThat(pass(1_000, Event.CONNECTED)).containsExactly(connect(1));
        assertThat(watch.fastPathOff()).isEmpty();
    }

    @Test
    void refusedWhileHeartbeatsFlowIsAFirewall() {
        open();
        happens(Event.CLOSED);
        for (int i = 0; i < 40; i++) {
            assertThat(pass(INTERVAL - 20, Event.REFUSED)).doesNotContain(fence(one));
            beat();
        }
        assertThat(watch.fastPathOff()).containsEntry(1, "refuses connections while its heartbeats arrive");
        assertThat(pass(10_000, Event.REFUSED))
                .as("silent now: the session's matter")
                .containsOnly(connect(1));
        pass(1_000, Event.CONNECTED);
        assertThat(watch.fastPathOff()).isEmpty();
        happens(Event.CLOSED);
        assertThat(pass(INTERVAL, Event.REFUSED)).as("on again").contains(fence(one));
    }

    @Test
    void heartbeatsThatComeFasterThanAskedForAreAFirewallToo() {
        open();
        happens(Event.CLOSED);
        for (int i = 0; i < 4; i++) {
            assertThat(pass(INTERVAL / 3, Event.REFUSED)).doesNotContain(fence(one));
            beat();
        }
        assertThat(watch.fastPathOff()).containsOnlyKeys(1);
    }

    @Test
    void aHeartbeatThatWasOnItsWayOnlyDelaysTheVerdict() {
        open();
        happens(Event.CLOSED);
        pass(10, Event.REFUSED);
        beat();
        assertThat(pass(2 * INTERVAL - 1, Event.REFUSED)).doesNotContain(fence(one));
        assertThat(pass(1, Event.REFUSED)).contains(fence(one));
    }

    @Test
    void heartbeatsThatHadQueuedTogetherOnlyDelayTheVerdict() {
        open();
        happens(Event.CLOSED);
        pass(10, Event.REFUSED);
        for (int i = 0; i < 4; i++) {
            beat();
            pass(i, Event.REFUSED);
        }
        assertThat(watch.fastPathOff()).isEmpty();
        assertThat(pass(2 * INTERVAL - 4, Event.REFUSED)).doesNotContain(fence(one));
        assertThat(pass(1, Event.REFUSED)).contains(fence(one));
    }

    @Test
    void aHeartbeatAfterTheVerdictShowsThatItWasWrong() {
        open();
        happens(Event.CLOSED);
        pass(INTERVAL, Event.REFUSED);
        beat();
        assertThat(watch.fastPathOff()).containsOnlyKeys(1);
        assertThat(pass(5_000, Event.REFUSED)).containsOnly(connect(1));
    }

    @Test
    void aControllerThatWasPausedListensForAnIntervalFirst() {
        open();
        happens(Event.CLOSED);
        pass(150, Event.REFUSED);
        now = now.plus(SESSION / 4 + TICK + 1);
        assertThat(watch.step(c.image, now)).as("heartbeats may wait unheard").doesNotContain(fence(one));
        happens(Event.REFUSED);
        assertThat(pass(INTERVAL - 1, Event.REFUSED)).doesNotContain(fence(one));
        assertThat(pass(1, Event.REFUSED)).contains(fence(one));
    }

    @Test
    void watchesWhoIsUnfencedAndWhereItIsRegistered() {
        open();
        c.fence(1);
        assertThat(watch.step(c.image, now)).containsExactly(new Order.Disconnect(one));
        happens(Event.CLOSED);
        assertThat(pass(10_000, null)).as("nobody to watch").isEmpty();
        c.unfence(1);
        assertThat(watch.step(c.image, now)).containsExactly(connect(1));
        c.comeBack(1, TestCluster.Return.SAME_BOOT);
        assertThat(watch.step(c.image, now)).containsExactly(new Order.Disconnect(one), connect(1));
        happens(Event.REFUSED);
        assertThat(pass(1_000, null)).as("that was the old one's").isEmpty();
    }

    @Test
    void anIncarnationAnswersUntilItOwesAnAnswerForAQuarterOfASession() {
        open();
        assertThat(watch.stillAnswers(1, now)).isTrue();
        assertThat(pass(TICK, null)).containsExactly(new Order.Ask(one));
        happens(Event.ANSWERED);
        for (int i = 0; i < 20; i++) {
            assertThat(watch.stillAnswers(1, now)).isTrue();
            if (pass(100, null).contains(new Order.Ask(one))) {
                happens(Event.ANSWERED);
            }
        }
        pass(SESSION, null);
        assertThat(watch.stillAnswers(1, now)).as("asked again").isTrue();
        assertThat(pass(SESSION / 4 - 1, null)).containsExactly(new Order.Ask(one));
        assertThat(watch.stillAnswers(1, now)).as("may yet answer").isTrue();
        pass(1, null);
        assertThat(watch.stillAnswers(1, now)).as("paused, or hung").isFalse();
    }

    @Test
    void aConnectionThatIsLostDoesNotAnswer() {
        open();
        happens(Event.CLOSED);
        assertThat(watch.stillAnswers(1, now)).isFalse();
        assertThat(watch.stillAnswers(7, now)).as("never heard of").isFalse();
    }

    @Test
    void aConnectionToTheSuccessorIsNotTakenForTheOldIncarnation() {
        open();
        happens(Event.CLOSED);
        pass(TICK, Event.CONNECTED);
        happens(Event.ANSWERED);
        assertThat(watch.stillAnswers(1, now))
                .as("no heartbeat since it was opened")
                .isFalse();
        beat();
        assertThat(watch.stillAnswers(1, now)).isTrue();
    }

    @Test
    void aNewTermKnowsNothing() {
        open();
        happens(Event.CLOSED);
        pass(200, Event.REFUSED);
        watch.activate(now);
        assertThat(pass(INTERVAL - 1, Event.REFUSED)).startsWith(connect(1)).doesNotContain(fence(one));
    }
}
