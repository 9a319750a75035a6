package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Consumers that read from followers, and who sends them there (R4.3, R4.40, R4.41). */
class FollowerReadTest {
    private static final String NORTH = "north";
    private static final String SOUTH = "south";
    private static final long TOKEN = -9;

    /** Leader 1 in the north, 2 and 3 in the south, all in the ISR; 2 and 3 have fetched at 100. */
    private static World racks() {
        World world = new World(1, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "0..99@0", 100);
        world.views.put(1, new BrokerView(1, 11, true, NORTH));
        world.views.put(2, new BrokerView(2, 12, true, SOUTH));
        world.views.put(3, new BrokerView(3, 13, true, SOUTH));
        world.publish(world.state(1, 0, 1, List.of(1, 2, 3)));
        world.fetch(2);
        world.fetch(3);
        return world;
    }

    private static Effect read(World world, int broker, int epoch, long offset, String rack, boolean anyReplica) {
        world.at(broker)
                .step(world.now, new ReplicaEvent.ConsumerFetch(TOKEN, epoch, offset, -1, false, rack, anyReplica));
        return world.at(broker).reads.get(TOKEN);
    }

    @Test
    void r4_40_aConsumerIsSentToItsRack() {
        World world = racks();
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 2, 100, 0));
        assertThat(read(world, 1, -1, 50, NORTH, true)).isInstanceOf(Effect.ReadAllowed.class);
        assertThat(read(world, 1, -1, 50, "east", true)).isInstanceOf(Effect.ReadAllowed.class);
        assertThat(read(world, 1, -1, 50, "", true)).isInstanceOf(Effect.ReadAllowed.class);
    }

    @Test
    void r4_40_theOneWithTheMostIsChosenAndOnlyIfItHasTheOffset() {
        World world = racks();
        world.append(1, 10);
        world.fetch(3);
        world.fetch(3);
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 3, 100, 0));
        assertThat(read(world, 1, -1, 105, SOUTH, true))
                .as("2 is not there yet")
                .isEqualTo(new Effect.ReadElsewhere(TOKEN, 3, 100, 0));
        world.append(1, 10);
        assertThat(read(world, 1, -1, 115, SOUTH, true))
                .as("nobody there has it")
                .isInstanceOf(Effect.ReadAllowed.class);
    }

    @Test
    void r4_40_onlyMembersOnActiveBrokersAreChosen() {
        World world = racks();
        world.publish(world.state(1, 0, 2, List.of(1, 3)));
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 3, 100, 0));
        world.views.put(3, new BrokerView(3, 13, false, SOUTH));
        world.publishBrokers(1);
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isInstanceOf(Effect.ReadAllowed.class);
    }

    @Test
    void r4_40_anOffsetOutOfRangeIsTheLeadersToTell() {
        World world = racks();
        assertThat(read(world, 1, -1, 500, SOUTH, true))
                .isEqualTo(new Effect.ReadRefused(TOKEN, ReplicaError.OFFSET_OUT_OF_RANGE, 100, 0));
    }

    @Test
    void r4_41_aFollowerReadsUpToItsOwnMark() {
        World world = racks();
        world.append(1, 10);
        world.fetch(2);
        assertThat(world.at(2).end()).isEqualTo(110);
        assertThat(read(world, 2, 0, 95, SOUTH, true))
                .isEqualTo(new Effect.ReadAllowed(TOKEN, 100, 100, 100, 0, false));
        assertThat(read(world, 2, 0, 105, SOUTH, true))
                .as("between the mark and the end: nothing yet")
                .isEqualTo(new Effect.ReadAllowed(TOKEN, 100, 100, 100, 0, false));
        assertThat(read(world, 2, 0, 111, SOUTH, true))
                .isEqualTo(new Effect.ReadRefused(TOKEN, ReplicaError.OFFSET_OUT_OF_RANGE, 100, 0));
        world.fetch(3);
        world.fetch(3);
        world.fetch(2);
        world.fetch(2);
        assertThat(read(world, 2, 0, 105, SOUTH, true))
                .isEqualTo(new Effect.ReadAllowed(TOKEN, 110, 110, 110, 0, false));
    }

    @Test
    void r4_3_oldConsumersAreAnsweredByTheLeaderOnly() {
        World world = racks();
        assertThat(read(world, 2, 0, 50, "", false))
                .isEqualTo(new Effect.ReadRefused(TOKEN, ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1));
        assertThat(read(world, 2, 1, 50, "", true))
                .isEqualTo(new Effect.ReadRefused(TOKEN, ReplicaError.UNKNOWN_LEADER_EPOCH, -1, -1));
    }

    @Test
    void r4_41_aConsumerThatWaitsAtAFollowerIsWokenWhenItsMarkRises() {
        World world = racks();
        world.at(2).step(world.now, new ReplicaEvent.Watch(5, false));
        world.append(1, 1);
        world.fetch(2);
        world.at(2).effects.clear();
        world.fetch(3);
        world.fetch(3);
        world.fetch(2);
        world.fetch(2);
        assertThat(world.at(2).mark()).isEqualTo(101);
        assertThat(world.at(2).effects)
                .anyMatch(effect -> effect instanceof Effect.Notify notify
                        && notify.data()
                        && notify.watchers().length == 1
                        && notify.watchers()[0] == 5);
    }

    @Test
    void r4_40_whereTheFollowersLogEndsAndStartsItStillHasTheOffset() {
        World world = racks();
        world.append(1, 10);
        assertThat(read(world, 1, -1, 100, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 2, 100, 0));
        assertThat(read(world, 1, -1, 0, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 2, 100, 0));
    }

    @Test
    void r4_40_ofTwoThatHaveAsMuchTheOneThatWasCaughtUpLastIsChosen() {
        World world = racks();
        world.pass(10);
        world.fetch(3);
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 3, 100, 0));
        world.pass(10);
        world.fetch(2);
        assertThat(read(world, 1, -1, 50, SOUTH, true)).isEqualTo(new Effect.ReadElsewhere(TOKEN, 2, 100, 0));
    }
}
