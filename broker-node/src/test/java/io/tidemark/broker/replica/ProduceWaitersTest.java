package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** R5.10, R5.11, R5.31 and O15: who waits for the mark, who is answered when, and with what. */
class ProduceWaitersTest {
    private final ProduceWaiters waiters = new ProduceWaiters();

    private interface Action {
        void into(Effects effects);
    }

    private static List<String> answers(Action action) {
        Effects effects = new Effects();
        action.into(effects);
        return effects.list().stream()
                .map(Effect.ProduceAnswered.class::cast)
                .map(answer -> answer.token() + " " + answer.error() + " " + answer.baseOffset())
                .toList();
    }

    private List<String> markAt(long mark) {
        return answers(effects -> waiters.markReached(mark, 0, ReplicaError.NONE, effects));
    }

    @Test
    void answersComeInTheOrderOfTheOffsets() {
        waiters.awaitMark(1, 10, 5, 1000);
        waiters.awaitMark(2, 12, 10, 1000);
        waiters.awaitMark(3, 20, 12, 1000);
        assertThat(markAt(9)).isEmpty();
        assertThat(markAt(12)).containsExactly("1 NONE 5", "2 NONE 10");
        assertThat(markAt(12)).isEmpty();
        assertThat(markAt(100)).containsExactly("3 NONE 12");
        assertThat(waiters.size()).isZero();
    }

    @Test
    void r5_31_aDuplicateIsNotHeldUpByLaterAppends() {
        waiters.awaitMark(1, 20, 15, 1000);
        waiters.awaitMark(2, 10, 5, 1000);
        waiters.awaitMark(3, 25, 20, 1000);
        assertThat(markAt(10)).containsExactly("2 NONE 5");
        assertThat(markAt(25)).containsExactly("1 NONE 15", "3 NONE 20");
    }

    @Test
    void r5_11_theVerdictIsTakenAtTheCheck() {
        waiters.awaitMark(1, 10, 5, 1000);
        assertThat(answers(
                        effects -> waiters.markReached(10, 0, ReplicaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND, effects)))
                .containsExactly("1 NOT_ENOUGH_REPLICAS_AFTER_APPEND -1");
        assertThat(waiters.size()).isZero();
    }

    @Test
    void expiryTakesThoseThatAreDueAndKeepsTheNextDeadline() {
        waiters.awaitMark(1, 10, 5, 300);
        waiters.awaitMark(2, 20, 10, 100);
        waiters.awaitMark(3, 8, 5, 200);
        assertThat(waiters.nextDeadlineMs()).isEqualTo(100);
        assertThat(answers(effects -> waiters.expire(99, effects))).isEmpty();
        assertThat(answers(effects -> waiters.expire(100, effects))).containsExactly("2 REQUEST_TIMED_OUT -1");
        assertThat(waiters.nextDeadlineMs()).isEqualTo(200);
        assertThat(answers(effects -> waiters.expire(250, effects))).containsExactly("3 REQUEST_TIMED_OUT -1");
        assertThat(waiters.nextDeadlineMs()).isEqualTo(300);
        assertThat(markAt(10)).containsExactly("1 NONE 5");
        assertThat(answers(effects -> waiters.expire(400, effects))).isEmpty();
        assertThat(waiters.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void acks1WaitsForTheWrite() {
        waiters.awaitWrite(1, 10, 5);
        waiters.awaitWrite(2, 12, 10);
        assertThat(markAt(100)).isEmpty();
        assertThat(answers(effects -> waiters.written(11, 0, effects))).containsExactly("1 NONE 5");
        assertThat(answers(effects -> waiters.written(12, 0, effects))).containsExactly("2 NONE 10");
    }

    @Test
    void o15_abandonedOnesAreToldThatTheLeaderIsAnother() {
        waiters.awaitWrite(1, 10, 5);
        waiters.awaitMark(2, 20, 10, 100);
        waiters.awaitMark(3, 8, 5, 200);
        assertThat(answers(waiters::abandon))
                .containsExactlyInAnyOrder(
                        "1 NOT_LEADER_OR_FOLLOWER -1", "2 NOT_LEADER_OR_FOLLOWER -1", "3 NOT_LEADER_OR_FOLLOWER -1");
        assertThat(waiters.size()).isZero();
        assertThat(waiters.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }
}
