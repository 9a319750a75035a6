package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a leader tells those who ask with another epoch, or ask for one: rules by number. */
class LeaderAnswersTest {
    private static World baseline(int minIsr) {
        World world = new World(minIsr, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.publish(world.state(1, 0, 0, List.of(1, 2, 3)));
        world.fetch(2);
        world.fetch(3);
        return world;
    }

    @Test
    void r3_3_anUnknownEndOfAMemberStopsTheMark() {
        World world = baseline(2);
        world.publish(world.state(2, 1, 1, List.of(2, 3)), 2);
        world.append(2, 5);
        assertThat(world.at(2).mark()).isEqualTo(100);
    }

    @Test
    void r4_2_theEpochIsCheckedBeforeTheLeadership() {
        World world = baseline(2);
        FetchPosition position = world.ask(2).position();
        world.publish(world.state(2, 1, 1, List.of(2, 3)), 1);
        Effect.ReadRefused old = (Effect.ReadRefused) world.look(1, new World.Request(3, 13, position));
        assertThat(old.error()).isEqualTo(ReplicaError.FENCED_LEADER_EPOCH);
        FetchPosition ahead = new FetchPosition(1, 2, 100, 0, 0);
        Effect.ReadRefused newer = (Effect.ReadRefused) world.look(1, new World.Request(3, 13, ahead));
        assertThat(newer.error()).isEqualTo(ReplicaError.UNKNOWN_LEADER_EPOCH);
        FetchPosition same = new FetchPosition(1, 1, 100, 0, 0);
        Effect.ReadRefused wrong = (Effect.ReadRefused) world.look(1, new World.Request(3, 13, same));
        assertThat(wrong.error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.at(1).answer(world.produce(1, 1, "x"))).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void r4_4_aFollowerThatIsNoReplicaIsAheadOfUsOrAstray() {
        World world = baseline(2);
        Effect.ReadRefused ahead =
                (Effect.ReadRefused) world.look(1, new World.Request(9, 19, new FetchPosition(1, 0, 100, 0, 0)));
        assertThat(ahead.error()).isEqualTo(ReplicaError.UNKNOWN_LEADER_EPOCH);
        Effect.ReadRefused astray =
                (Effect.ReadRefused) world.look(1, new World.Request(9, 19, new FetchPosition(1, -1, 100, 0, 0)));
        assertThat(astray.error()).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void r4_50_epochLookUps() {
        World world = new World(1, 1, 2).with(1, "0..9@0 10..14@2", 0);
        world.publish(world.state(1, 4, 0, List.of(1)));
        assertThat(epochEnd(world, 4, 0)).isEqualTo("NONE 0:10");
        assertThat(epochEnd(world, 4, 1)).isEqualTo("NONE 0:10");
        assertThat(epochEnd(world, 4, 2)).isEqualTo("NONE 2:15");
        assertThat(epochEnd(world, 4, 4)).isEqualTo("NONE 4:15");
        assertThat(epochEnd(world, 4, 5)).isEqualTo("NONE -1:-1");
        assertThat(epochEnd(world, 3, 0)).isEqualTo("FENCED_LEADER_EPOCH -1:-1");
        assertThat(epochEnd(world, 5, 0)).isEqualTo("UNKNOWN_LEADER_EPOCH -1:-1");
    }

    private static String epochEnd(World world, int current, int epoch) {
        Node node = world.at(1);
        node.step(world.now, new ReplicaEvent.EpochQuery(99, current, epoch));
        Effect.EpochFound found = (Effect.EpochFound) node.reads.get(99L);
        return found.error() + " " + found.epoch() + ":" + found.endOffset();
    }
}
