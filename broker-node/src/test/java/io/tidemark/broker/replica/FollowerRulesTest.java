package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a follower does with the answers it gets: rules of section 6 by number. */
class FollowerRulesTest {
    private static World follower(String leaderLog, String followerLog, long mark) {
        World world = new World(1, 1, 2).with(1, leaderLog, mark).with(2, followerLog, mark);
        world.publish(world.state(1, 5, 1, List.of(1)));
        return world;
    }

    @Test
    void r6_35_aFollowerAboveTheLeadersEndIsCut() {
        World world = follower("0..9@0", "0..9@0", 5);
        Node node = world.at(2);
        FetchPosition position = world.ask(2).position();
        node.receive(
                world.now,
                World.answer(position, ReplicaError.OFFSET_OUT_OF_RANGE, EpochAndOffset.UNDEFINED, -1, -1, List.of()));
        node.step(world.now, new ReplicaEvent.LeaderOffsets(4, 0, 3));
        assertThat(node.end()).as("an answer of another epoch").isEqualTo(10);
        node.step(world.now, new ReplicaEvent.LeaderOffsets(5, 0, 7));
        assertThat(node.end()).isEqualTo(7);
        assertThat(world.ask(2).position().offset()).isEqualTo(7);
    }

    @Test
    void r6_35_aQuestionThatFailsIsAskedAgainByTheNextFetch() {
        World world = follower("500..799@0", "0..99@0", 100);
        world.fetch(2);
        world.at(2).step(world.now, new ReplicaEvent.FetchFailed(5));
        assertThat(world.ask(2)).isNull();
        world.now = world.at(2).replica.fetchDeadlineMs(new MonoTime(world.now));
        world.fetch(2);
        world.answerOffsets(2, 1);
        assertThat(world.at(2).log.start()).isEqualTo(500);
    }

    @ParameterizedTest(name = "R6.30: {0} against {1}:{2} ends at {3}")
    @CsvSource({
        // own log, leader's epoch and end, target
        "0..9@0 10..14@2, 2, 12, 12",
        "0..9@0 10..14@2, 2, 20, 15",
        "0..9@0 10..14@2, 1, 12, 10",
        "0..9@0 10..14@2, 0, 7, 7",
        "0..9@0 10..14@2, 0, 12, 10",
        "5..9@3 10..14@4, 1, 12, 5",
        "5..9@3 10..14@4, 1, 2, 2",
        "0..9@0, 4, 8, 8",
    })
    void r6_30_truncationTargets(String log, int epoch, long end, long target) {
        World world = follower("0..0@0", log, 0);
        FetchPosition position = world.ask(2).position();
        Node node = world.at(2);
        node.receive(
                world.now, World.answer(position, ReplicaError.NONE, new EpochAndOffset(epoch, end), 1, 0, List.of()));
        Effect.Truncate truncate = (Effect.Truncate) node.effects.stream()
                .filter(Effect.Truncate.class::isInstance)
                .findFirst()
                .orElseThrow();
        assertThat(truncate.offset()).isEqualTo(target);
        assertThat(node.end()).isEqualTo(target);
    }

    @Test
    void r3_21_aDivergingAnswerGivesNoMark() {
        World world = follower("0..9@0", "0..9@0 10..12@1", 4);
        FetchPosition position = world.ask(2).position();
        world.at(2)
                .receive(
                        world.now,
                        World.answer(position, ReplicaError.NONE, new EpochAndOffset(0, 10), 9, 3, List.of()));
        assertThat(world.at(2).mark()).isEqualTo(4);
        assertThat(world.at(2).replica.logStart()).isZero();
    }

    @Test
    void r3_20_theFollowersMarkFollowsTheAnswerAlsoDown() {
        World world = follower("0..9@0", "0..9@0", 4);
        for (long[] row : new long[][] {{8, 8}, {3, 3}, {15, 10}}) {
            world.at(2)
                    .receive(
                            world.now,
                            World.answer(
                                    world.ask(2).position(),
                                    ReplicaError.NONE,
                                    EpochAndOffset.UNDEFINED,
                                    row[0],
                                    0,
                                    List.of()));
            assertThat(world.at(2).mark()).isEqualTo(row[1]);
        }
    }

    @Test
    void r6_12_errorsDelayTheNextFetch() {
        World world = follower("0..9@0", "0..9@0", 4);
        Node node = world.at(2);
        Object[][] rows = {
            {ReplicaError.UNKNOWN_LEADER_EPOCH, node.settings.fetchRetryMs()},
            {ReplicaError.NOT_LEADER_OR_FOLLOWER, node.settings.fetchRetryMs()},
            {ReplicaError.FENCED_LEADER_EPOCH, node.settings.fetchBackoffMs()},
            {ReplicaError.KAFKA_STORAGE_ERROR, node.settings.fetchBackoffMs()},
            {ReplicaError.OTHER, node.settings.fetchBackoffMs()},
        };
        for (Object[] row : rows) {
            FetchPosition position = world.ask(2).position();
            node.receive(
                    world.now,
                    World.answer(position, (ReplicaError) row[0], EpochAndOffset.UNDEFINED, -1, -1, List.of()));
            assertThat(world.ask(2)).isNull();
            long due = node.replica.fetchDeadlineMs(new MonoTime(world.now));
            assertThat(due - world.now).as("%s", row[0]).isEqualTo(row[1]);
            world.now = due;
            assertThat(world.ask(2).position()).isEqualTo(position);
        }
    }

    @Test
    void b22_epochsOfALogDoNotDecrease() {
        World world = follower("0..9@3", "0..9@3", 4);
        World.Answer wrong = World.answer(
                world.ask(2).position(),
                ReplicaError.NONE,
                EpochAndOffset.UNDEFINED,
                10,
                0,
                List.of(new ModelLog.Batch(10, 10, 2, "x")));
        assertThatThrownBy(() -> world.at(2).receive(world.now, wrong)).isInstanceOf(Check.Violation.class);
    }

    @Test
    void r5_24_theHistoryIsKeptBeforeTheFirstRecordOfAnEpoch() {
        World world = follower("0..9@0", "0..9@0", 4);
        world.append(1, 2);
        world.fetch(2);
        List<Effect> effects = world.at(2).effects;
        int persisted = indexOf(effects, Effect.PersistEpochs.class);
        int staged = indexOf(effects, Effect.StageFetched.class);
        assertThat(persisted).isNotNegative().isLessThan(staged);
        assertThat(effects.get(persisted).waits()).isTrue();
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 5, 10));
    }

    private static int indexOf(List<Effect> effects, Class<? extends Effect> kind) {
        for (int i = 0; i < effects.size(); i++) {
            if (kind.isInstance(effects.get(i))) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void r3_25_theLeadersStartIsTakenOverAfterTheRecords() {
        World world = follower("0..9@0", "0..4@0", 4);
        world.at(1).step(world.now, new ReplicaEvent.LogStartMoved(7));
        World.Answer answer = World.answer(
                world.ask(2).position(),
                ReplicaError.NONE,
                EpochAndOffset.UNDEFINED,
                9,
                7,
                world.at(1).log.read(5, 10));
        world.at(2).receive(world.now, answer);
        assertThat(world.at(2).replica.logStart()).isEqualTo(7);
        assertThat(world.at(2).mark()).isEqualTo(9);
        assertThat(world.at(2).log.start()).isEqualTo(7);
    }

    /** An answer of that epoch to what broker 2 asks now. */
    private static World.Answer batches(World world, int epoch, ModelLog.Batch... batches) {
        FetchPosition asked = world.ask(2).position();
        FetchPosition position =
                new FetchPosition(asked.leader(), epoch, asked.offset(), asked.lastFetchedEpoch(), asked.logStart());
        return World.answer(position, ReplicaError.NONE, EpochAndOffset.UNDEFINED, -1, -1, List.of(batches));
    }

    @Test
    void r6_10_anAnswerToAnotherFetchIsNoAnswer() {
        World world = follower("0..9@0", "0..4@0", 4);
        ModelLog.Batch next = new ModelLog.Batch(5, 5, 5, "x");
        world.at(2).receive(world.now, batches(world, 4, next));
        assertThat(world.at(2).end()).isEqualTo(5);
        World.Answer again = batches(world, 5, next);
        world.at(2).receive(world.now, again);
        assertThat(world.at(2).end()).isEqualTo(6);
        world.at(2).receive(world.now, again);
        assertThat(world.at(2).end()).as("twice").isEqualTo(6);
    }

    @Test
    void r6_15_nothingFromTheFirstBatchOfALaterEpochOnIsTaken() {
        World world = follower("0..9@0", "0..4@0", 4);
        world.at(2)
                .receive(
                        world.now,
                        batches(
                                world,
                                5,
                                new ModelLog.Batch(5, 6, 5, "x"),
                                new ModelLog.Batch(7, 7, 6, "later"),
                                new ModelLog.Batch(8, 8, 5, "y")));
        assertThat(world.at(2).end()).isEqualTo(7);
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 5, 5));
    }

    @Test
    void r6_15_batchesOfOneEpochAreOneStretchAndOfSeveralAreSeveral() {
        World world = follower("0..9@0", "0..4@0", 4);
        world.at(2)
                .receive(
                        world.now,
                        batches(
                                world,
                                5,
                                new ModelLog.Batch(5, 6, 3, "x"),
                                new ModelLog.Batch(7, 7, 3, "y"),
                                new ModelLog.Batch(8, 9, 4, "z")));
        assertThat(world.at(2).effects.stream()
                        .filter(Effect.StageFetched.class::isInstance)
                        .toList())
                .containsExactly(new Effect.StageFetched(0, 2, 3), new Effect.StageFetched(2, 3, 4));
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 3, 5, 4, 8));
    }

    @Test
    void r6_15_batchesThatDoNotFollowEachOtherStopThePartition() {
        World world = follower("0..9@0", "0..4@0", 4);
        World.Answer back = batches(world, 5, new ModelLog.Batch(5, 6, 5, "x"), new ModelLog.Batch(6, 7, 5, "y"));
        assertThatThrownBy(() -> world.at(2).receive(world.now, back)).isInstanceOf(Check.Violation.class);
        World other = follower("0..9@0", "0..4@0", 4);
        World.Answer overlap = batches(other, 5, new ModelLog.Batch(5, 6, 4, "x"), new ModelLog.Batch(6, 7, 5, "y"));
        assertThatThrownBy(() -> other.at(2).receive(other.now, overlap)).isInstanceOf(Check.Violation.class);
    }

    @Test
    void batchesWhollyBelowTheEndAreAskedForAnew() {
        World world = follower("0..9@0", "0..4@0", 4);
        world.at(2).receive(world.now, batches(world, 5, new ModelLog.Batch(3, 4, 0, "x")));
        assertThat(world.at(2).end()).isEqualTo(5);
        assertThat(world.at(2).has(Effect.Truncate.class)).isFalse();
        assertThat(world.at(2).replica.fetchDeadlineMs(new MonoTime(world.now)) - world.now)
                .isEqualTo(world.at(2).settings.fetchRetryMs());
    }

    @Test
    void s36_anEndInsideALeadersBatchIsGivenUpToTheBatch() {
        World world = follower("0..9@0", "0..4@0", 2);
        world.at(2).receive(world.now, batches(world, 5, new ModelLog.Batch(3, 7, 0, "x")));
        assertThat(world.at(2).end()).isEqualTo(3);
        assertThat(world.ask(2).position().offset()).isEqualTo(3);
    }

    @Test
    void s29_aStartInsideALeadersBatchMovesToTheBatch() {
        World world = follower("0..9@0", "5..5@0", 5);
        world.at(2).step(world.now, new ReplicaEvent.LogTruncated(5, 5, EpochHistory.EMPTY));
        world.at(2).receive(world.now, batches(world, 5, new ModelLog.Batch(3, 7, 0, "x")));
        assertThat(world.at(2).log.start()).isEqualTo(3);
        assertThat(world.ask(2).position().offset())
                .as("asked from where it was, so that the batch comes whole")
                .isEqualTo(5);
    }
}
