package io.tidemark.broker.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import org.junit.jupiter.api.Test;

class LeaderSessionTest {
    private static final PartitionId A = new PartitionId(new TopicId(7, 7), 0);
    private static final PartitionId B = new PartitionId(new TopicId(7, 7), 1);

    private final LeaderSession session = new LeaderSession();

    private static FetchPosition at(int leaderEpoch, long offset) {
        return new FetchPosition(1, leaderEpoch, offset, leaderEpoch, 0);
    }

    private void open() {
        session.tell(A, at(1, 5), false);
        session.sent();
        session.answered(42);
    }

    @Test
    void theOpeningRequestDoesNotWaitAndNothingFollowsItBeforeItsAnswer() {
        session.tell(A, at(1, 5), false);
        assertThat(session.epoch()).isZero();
        assertThat(session.maxWaitMs(500)).isZero();
        session.sent();
        assertThat(session.established()).isFalse();
        session.answered(42);
        assertThat(session.established()).isTrue();
        assertThat(session.epoch()).isEqualTo(1);
        assertThat(session.maxWaitMs(500)).isEqualTo(500);
    }

    @Test
    void whereTheLeaderKeepsNoSessionEveryRequestNamesEverythingAndWaits() {
        session.tell(A, at(1, 5), false);
        session.sent();
        session.answered(0);
        assertThat(session.epoch()).isZero();
        assertThat(session.isEmpty()).isTrue();
        assertThat(session.maxWaitMs(500)).isEqualTo(500);
    }

    @Test
    void eachOfTwoRequestsInFlightHasTheNextEpoch() {
        open();
        session.sent();
        assertThat(session.epoch()).isEqualTo(2);
        session.sent();
        assertThat(session.epoch()).isEqualTo(3);
        session.answered(42);
        session.answered(42);
        assertThat(session.epoch()).isEqualTo(3);
    }

    @Test
    void anAnswerIsHeldAgainstWhatItsOwnRequestAsked() {
        open();
        session.tell(A, at(1, 6), false);
        session.sent();
        // A new epoch of the same leader: the answer to the first request must not pass for one to the second (R6.10).
        session.tell(A, at(2, 6), true);
        session.tell(B, at(2, 0), true);
        session.sent();
        assertThat(session.asked(A)).isEqualTo(at(1, 6));
        session.answered(42);
        assertThat(session.asked(A)).isEqualTo(at(2, 6));
        assertThat(session.asked(B)).isEqualTo(at(2, 0));
    }

    @Test
    void whatWasAskedBeforeAPartitionLeftAndCameBackIsNotTakenForWhatIsAskedNow() {
        open();
        session.tell(A, at(1, 6), false);
        session.sent();
        // Another leads for a moment, then the same leader again in a later epoch, all while the request waits there.
        session.leave(A);
        session.tell(A, at(3, 6), true);
        session.sent();
        assertThat(session.asked(A)).as("for the answer to the first request").isNull();
        session.answered(42);
        assertThat(session.asked(A)).isEqualTo(at(3, 6));
    }

    @Test
    void aPartitionThatLeavesIsForgottenOnceUnlessItComesBack() {
        open();
        session.tell(B, at(1, 0), false);
        session.leave(A);
        session.leave(B);
        session.tell(B, at(1, 0), false);
        assertThat(session.takeLeaving()).containsExactly(A);
        assertThat(session.takeLeaving()).isEmpty();
        session.leave(A);
        assertThat(session.takeLeaving()).isEmpty();
    }

    @Test
    void aNewSessionHasItsOwnGenerationAndKnowsNothing() {
        open();
        int generation = session.generation();
        session.leave(A);
        session.startOver();
        assertThat(session.generation()).isNotEqualTo(generation);
        assertThat(session.epoch()).isZero();
        assertThat(session.knows(A, at(1, 5))).isFalse();
        assertThat(session.takeLeaving()).isEmpty();
    }
}
