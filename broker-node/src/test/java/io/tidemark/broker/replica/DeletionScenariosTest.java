package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** R3.26: records are given up at the leader, and the answer waits for the replicas that are there. */
class DeletionScenariosTest {
    private static final long TIMEOUT_MS = 10_000;

    /** 1 leads, with 2 and 3 in sync, ten records, all exposed. */
    private final World world =
            new World(1, 1, 2, 3).with(1, "0..9@0", 10).with(2, "0..9@0", 10).with(3, "0..9@0", 10);

    private long token = 1_000_000;

    DeletionScenariosTest() {
        world.publish(world.state(1, 1, 1, List.of(1, 2, 3)));
        world.catchUp(2);
        world.catchUp(3);
    }

    private long giveUp(int broker, long offset) {
        token++;
        world.at(broker).step(world.now, new ReplicaEvent.RecordsGivenUp(token, offset, world.now + TIMEOUT_MS));
        return token;
    }

    private Effect.RecordsDeleted answer(int broker, long asked) {
        return world.at(broker).deletions.get(asked);
    }

    private void done(long asked, long lowWatermark) {
        assertThat(answer(1, asked)).isEqualTo(new Effect.RecordsDeleted(asked, ReplicaError.NONE, lowWatermark));
    }

    /** Once to hear of the leader's log start, once to tell of its own. */
    private void hearAndTell(int follower) {
        world.fetch(follower);
        world.fetch(follower);
    }

    @Test
    void theAnswerWaitsForEveryReplica() {
        long asked = giveUp(1, 4);
        assertThat(world.at(1).replica.logStart()).isEqualTo(4);
        assertThat(world.consume(1, 3).error()).isEqualTo(ReplicaError.OFFSET_OUT_OF_RANGE);
        assertThat(world.consume(1, 4).error()).isEqualTo(ReplicaError.NONE);
        hearAndTell(2);
        assertThat(answer(1, asked)).as("3 has not heard of it").isNull();
        world.fetch(3);
        assertThat(world.at(3).replica.logStart()).isEqualTo(4);
        assertThat(answer(1, asked)).as("3 has not said so").isNull();
        world.fetch(3);
        done(asked, 4);
    }

    @Test
    void aReplicaWhoseBrokerIsNotThereIsNotWaitedFor() {
        world.active(3, false);
        world.publishBrokers(1);
        long asked = giveUp(1, -1);
        hearAndTell(2);
        done(asked, 10);
        assertThat(world.at(1).replica.logStart()).as("-1 is the mark").isEqualTo(10);
    }

    @Test
    void aBrokerThatGoesIsNotWaitedForAnyLonger() {
        long asked = giveUp(1, 4);
        hearAndTell(2);
        world.active(3, false);
        world.publishBrokers(1);
        done(asked, 4);
    }

    @Test
    void whatIsDeletedAlreadyIsAnsweredAtOnce() {
        long first = giveUp(1, 4);
        hearAndTell(2);
        hearAndTell(3);
        done(first, 4);
        long again = giveUp(1, 2);
        done(again, 4);
        assertThat(world.at(1).replica.logStart()).isEqualTo(4);
    }

    @Test
    void onlyExposedRecordsCanBeGivenUpAndOnlyAtTheLeader() {
        world.produce(1, 1, "not exposed yet");
        assertThat(answer(1, giveUp(1, 11)).error()).isEqualTo(ReplicaError.OFFSET_OUT_OF_RANGE);
        assertThat(answer(1, giveUp(1, -2)).error()).isEqualTo(ReplicaError.OFFSET_OUT_OF_RANGE);
        assertThat(answer(2, giveUp(2, 4)).error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.at(1).replica.logStart()).isZero();
    }

    @Test
    void theAnswerDoesNotWaitForEver() {
        long asked = giveUp(1, 4);
        world.fetch(2);
        world.fetch(3);
        world.passTicking(1, TIMEOUT_MS - 1);
        assertThat(answer(1, asked)).isNull();
        world.passTicking(1, 1);
        assertThat(answer(1, asked).error()).isEqualTo(ReplicaError.REQUEST_TIMED_OUT);
    }

    @Test
    void aLeaderThatIsReplacedSaysSo() {
        long asked = giveUp(1, 4);
        world.publish(world.state(2, 2, 2, List.of(1, 2, 3)));
        assertThat(answer(1, asked).error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
    }
}
