package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.PartitionState;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A replica by its role, as its head has it: what it says of itself, what it refuses, and how a role ends. */
class ReplicaRolesTest {
    private static final long TOKEN = -5;
    private static final long WATCHER = 77;

    private static World world() {
        return new World(2, 1, 2, 3).with(1, "0..9@0", 5).with(2, "0..9@0", 5).with(3, "0..9@0", 5);
    }

    /** Whom the effects tell to look again, as "watcher data". */
    private static List<String> told(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Notify.class::isInstance)
                .map(effect -> (Effect.Notify) effect)
                .map(World::words)
                .toList();
    }

    @Test
    void beforeItHearsOfItsPartitionItIsNothing() {
        World world = world();
        Replica replica = world.at(1).replica;
        assertThat(replica.id()).isEqualTo(World.PARTITION);
        assertThat(replica.leads()).isFalse();
        assertThat(replica.follows()).isFalse();
        assertThat(replica.state()).isNull();
        assertThat(replica.isrState()).isEmpty();
        assertThat(replica.changePending()).isFalse();
        assertThat(replica.markBehindEpochStart()).isFalse();
        assertThat(replica.isAdded()).isFalse();
        assertThat(replica.fetchMayWait()).isFalse();
        assertThat(replica.followerLag()).isZero();
        assertThat(replica.fetchPosition(new MonoTime(world.now))).isNull();
        assertThat(replica.nextDeadlineMs(new MonoTime(world.now))).isEqualTo(Long.MAX_VALUE);
        assertThat(replica.fetchDeadlineMs(new MonoTime(world.now))).isEqualTo(Long.MAX_VALUE);
        assertThat(replica.epochs()).isEqualTo(EpochHistory.of(0, 0));
    }

    @Test
    void whatIsSaidOfALeaderAndOfItsFollowers() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        Replica leader = world.at(1).replica;
        assertThat(leader.leads()).isTrue();
        assertThat(leader.follows()).isFalse();
        assertThat(leader.fetchMayWait()).isFalse();
        assertThat(leader.isrState()).contains("Committed").contains("[1, 2]");
        assertThat(leader.markBehindEpochStart()).as("R3.22: 5 against 10").isTrue();
        assertThat(world.at(2).replica.leads()).isFalse();
        assertThat(world.at(2).replica.follows()).isTrue();
        assertThat(world.at(2).replica.markBehindEpochStart()).isFalse();
        assertThat(world.at(2).replica.fetchMayWait()).as("R4.23: a member").isFalse();
        assertThat(world.at(3).replica.fetchMayWait())
                .as("R4.23: not in the ISR")
                .isTrue();
        world.fetch(2);
        assertThat(leader.markBehindEpochStart()).as("R3.22: 10 against 10").isFalse();
    }

    @Test
    void aPendingChangeIsSaidToBeUntilItIsNot() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        Replica leader = world.at(1).replica;
        world.fetch(2);
        assertThat(leader.changePending()).isFalse();
        world.fetch(3);
        assertThat(leader.changePending()).isTrue();
        assertThat(world.at(2).replica.changePending()).isFalse();
        Effect.SendAlter alter = world.at(1).takeAlter();
        world.publish(world.state(1, 4, 2, List.of(1, 2, 3)));
        assertThat(leader.changePending()).isFalse();
        assertThat(alter.request().isr()).extracting("brokerId").containsExactly(1, 2, 3);
    }

    @Test
    void onlyWhomAReassignmentAddsIsAdded() {
        World world = world();
        world.publish(World.adding(3, world.state(1, 4, 1, List.of(1, 2))));
        assertThat(world.at(3).replica.isAdded()).isTrue();
        assertThat(world.at(2).replica.isAdded()).isFalse();
        assertThat(world.at(1).replica.isAdded()).isFalse();
    }

    @Test
    void whoDoesNotLeadRefusesWhatOnlyALeaderCanDo() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        Node follower = world.at(2);
        follower.produce(world.now, TOKEN, -1, world.now + 9, List.of("a"));
        assertThat(follower.answer(TOKEN)).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        follower.step(world.now, new ReplicaEvent.RecordsGivenUp(TOKEN, 3, world.now + 9));
        assertThat(follower.deletions.get(TOKEN).error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        Object[][] rows = {
            {-1, ReplicaError.NOT_LEADER_OR_FOLLOWER},
            {4, ReplicaError.NOT_LEADER_OR_FOLLOWER},
            {3, ReplicaError.FENCED_LEADER_EPOCH},
            {5, ReplicaError.UNKNOWN_LEADER_EPOCH},
        };
        for (Object[] row : rows) {
            int asked = (int) row[0];
            follower.step(
                    world.now, new ReplicaEvent.OffsetQuery(TOKEN, asked, ReplicaEvent.OffsetQuery.Bound.LATEST, true));
            assertThat(follower.reads.get(TOKEN))
                    .isEqualTo(new Effect.OffsetFound(TOKEN, (ReplicaError) row[1], -1, -1));
            follower.step(world.now, new ReplicaEvent.EpochQuery(TOKEN, asked, 0));
            assertThat(follower.reads.get(TOKEN))
                    .isEqualTo(new Effect.EpochFound(TOKEN, (ReplicaError) row[1], -1, -1));
        }
    }

    @Test
    void r2_40_anOlderPartitionEpochChangesNothing() {
        World world = world();
        world.publish(world.state(1, 4, 3, List.of(1, 2, 3)));
        PartitionState known = world.at(1).replica.state();
        world.publish(world.state(2, 5, 2, List.of(2)));
        assertThat(world.at(1).replica.state()).isEqualTo(known);
        assertThat(world.at(1).replica.leads()).isTrue();
        world.publish(world.state(1, 4, 3, List.of(1, 2, 3)));
        assertThat(world.at(1).replica.leads()).isTrue();
    }

    @Test
    void r9_10_aChangeOfTheIsrIsToldAsWhatItIs() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        assertThat(happenings(world)).isEmpty();
        world.publish(world.state(1, 4, 2, List.of(1, 2)));
        assertThat(happenings(world)).isEmpty();
        world.publish(world.state(1, 4, 3, List.of(1, 2, 3)));
        assertThat(happenings(world)).containsExactly(Effect.Happening.ISR_EXPANDED);
        world.publish(world.state(1, 4, 4, List.of(1, 3)));
        assertThat(happenings(world)).containsExactly(Effect.Happening.ISR_SHRANK);
        world.publish(world.state(1, 4, 5, List.of(1, 2)));
        assertThat(happenings(world)).containsExactly(Effect.Happening.ISR_SHRANK, Effect.Happening.ISR_EXPANDED);
        world.publish(world.state(1, 5, 6, List.of(1)));
        assertThat(happenings(world)).as("elected again, without 2").containsExactly(Effect.Happening.ISR_SHRANK);
    }

    private static List<Effect.Happening> happenings(World world) {
        List<Effect.Happening> all = world.at(1).effects.stream()
                .filter(Effect.Happened.class::isInstance)
                .map(effect -> ((Effect.Happened) effect).what())
                .toList();
        world.at(1).effects.clear();
        return all;
    }

    @Test
    void everyNewEpochSendsEverybodyToLookAgainAndAnEqualOneNobody() {
        World world = world();
        for (Node node : world.nodes.values()) {
            node.step(world.now, new ReplicaEvent.Watch(WATCHER, false));
            node.step(world.now, new ReplicaEvent.Watch(WATCHER + 1, true));
        }
        PartitionState[] epochs = {
            world.state(1, 4, 1, List.of(1, 2)), world.state(2, 5, 2, List.of(1, 2)), world.state(-1, 6, 3, List.of(2)),
        };
        for (PartitionState state : epochs) {
            world.nodes.values().forEach(node -> node.effects.clear());
            world.publish(state);
            for (Node node : world.nodes.values()) {
                assertThat(told(node.effects)).as("%d of %s", node.id, state).endsWith("[77] data", "[78] data");
            }
            world.nodes.values().forEach(node -> node.effects.clear());
            world.publish(state);
            for (Node node : world.nodes.values()) {
                assertThat(told(node.effects)).isEmpty();
            }
        }
        world.at(1).step(world.now, new ReplicaEvent.Unwatch(WATCHER));
        world.at(1).effects.clear();
        world.publish(world.state(1, 7, 4, List.of(1)));
        assertThat(told(world.at(1).effects)).endsWith("[78] data");
    }

    @Test
    void aRoleEndsWithTheNextEpochAndWithTheReplica() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        long waiting = world.produce(1, -1, "a");
        world.at(1).step(world.now, new ReplicaEvent.RecordsGivenUp(TOKEN, 2, world.now + 1_000));
        assertThat(world.at(1).answer(waiting)).isNull();
        world.nodes.values().forEach(node -> node.effects.clear());
        world.at(1).step(world.now, new ReplicaEvent.Watch(WATCHER, false));
        List<Effect> ofLeader = world.at(1).step(world.now, new ReplicaEvent.Removed());
        assertThat(world.at(1).replica.leads()).isFalse();
        assertThat(world.at(1).answer(waiting)).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.at(1).deletions.get(TOKEN).error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        assertThat(told(ofLeader)).containsExactly("[77] data");
        assertThat(world.at(1).has(Effect.StopFetching.class)).isFalse();
        List<Effect> ofFollower = world.at(2).step(world.now, new ReplicaEvent.Removed());
        assertThat(world.at(2).replica.follows()).isFalse();
        assertThat(ofFollower).hasAtLeastOneElementOfType(Effect.StopFetching.class);
        assertThat(world.ask(2)).isNull();
        world.publish(world.state(-1, 5, 2, List.of(2)), 3);
        assertThat(world.at(3).replica.follows()).isFalse();
        assertThat(world.at(3).has(Effect.StopFetching.class)).isTrue();
        assertThat(world.ask(3)).isNull();
    }

    @Test
    void whatWasWrittenAndMovedCountsWithoutARoleToo() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        Node leader = world.at(1);
        leader.writesAtOnce = false;
        world.append(1, 2);
        leader.step(world.now, new ReplicaEvent.Removed());
        leader.writesAtOnce = true;
        assertThat(leader.end()).isEqualTo(10);
        leader.step(world.now, new ReplicaEvent.Written(12));
        assertThat(leader.end()).isEqualTo(12);
        leader.step(world.now, new ReplicaEvent.LogStartMoved(3));
        assertThat(leader.replica.logStart()).isEqualTo(3);
    }

    @Test
    void whatEndsInASyncWaits() {
        assertThat(new Effect.PersistEpochs(EpochHistory.EMPTY).waits()).isTrue();
        assertThat(new Effect.Truncate(0, "").waits()).isTrue();
        assertThat(new Effect.TruncateFully(0, "").waits()).isTrue();
        assertThat(new Effect.HighWatermarkMoved(0).waits()).isFalse();
    }

    @Test
    void r3_26_recordsAreGivenUpToTheMarkAndReadersHearOfTheStart() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        world.fetch(2);
        Node leader = world.at(1);
        leader.step(world.now, new ReplicaEvent.Watch(WATCHER, true));
        Object[][] rows = {
            // asked, error, where the log starts then
            {11L, ReplicaError.OFFSET_OUT_OF_RANGE, 0L},
            {-2L, ReplicaError.OFFSET_OUT_OF_RANGE, 0L},
            {0L, ReplicaError.NONE, 0L},
            {4L, ReplicaError.NONE, 4L},
            {3L, ReplicaError.NONE, 4L},
            {10L, ReplicaError.NONE, 10L},
        };
        long token = TOKEN;
        long start = 0;
        for (Object[] row : rows) {
            leader.effects.clear();
            leader.step(world.now, new ReplicaEvent.RecordsGivenUp(--token, (long) row[0], world.now + 1_000));
            boolean moved = start != (long) row[2];
            start = (long) row[2];
            assertThat(leader.replica.logStart()).as("after %s", row[0]).isEqualTo(start);
            assertThat(leader.has(Effect.RaiseLogStart.class)).isEqualTo(moved);
            assertThat(told(leader.effects)).isEqualTo(moved ? List.of("[77]") : List.of());
            if (row[1] != ReplicaError.NONE) {
                assertThat(leader.deletions.get(token))
                        .isEqualTo(new Effect.RecordsDeleted(token, (ReplicaError) row[1], -1));
            }
        }
    }

    @Test
    void r5_31_aDuplicateIsAnsweredWithWhereTheFirstOneStands() {
        World world = world();
        world.publish(world.state(1, 4, 1, List.of(1, 2)));
        world.fetch(2);
        world.append(1, 2);
        Node leader = world.at(1);
        Object[][] rows = {
            // acks, first and last offset, answered at once
            {-1, 8L, 9L, true},
            {-1, 10L, 11L, false},
            {1, 8L, 9L, true},
            {1, 10L, 11L, true},
            {1, 12L, 12L, false},
        };
        long token = TOKEN;
        for (Object[] row : rows) {
            leader.step(
                    world.now,
                    new ReplicaEvent.ProduceRequested(
                            --token,
                            (short) (int) row[0],
                            world.now + 1_000,
                            2,
                            new ProducerVerdict.Duplicate((long) row[1], (long) row[2], -1)));
            if ((boolean) row[3]) {
                assertThat(leader.answers.get(token))
                        .as("%s", Arrays.toString(row))
                        .isEqualTo(new Effect.ProduceAnswered(token, ReplicaError.NONE, (long) row[1], 0, null));
            } else {
                assertThat(leader.answers).as("%s", Arrays.toString(row)).doesNotContainKey(token);
            }
        }
        assertThat(leader.end()).as("nothing was appended").isEqualTo(12);
        world.fetch(2);
        world.fetch(2);
        assertThat(leader.answers.get(TOKEN - 2)).isNotNull();
    }
}
