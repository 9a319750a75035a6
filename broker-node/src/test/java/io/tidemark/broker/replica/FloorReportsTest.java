package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a leader says how far the exposed prefix can reach, with an ISR below the min ISR (B1, rules 2 to 4). */
class FloorReportsTest {
    private static PartitionState unknown(PartitionState state) {
        return World.with(Floor.UNKNOWN, state);
    }

    /** Leader 1 with ISR [1,2], min 2, everything up to 100 exposed and 5 more appended. */
    private static World aheadByFive() {
        World world = new World(2, 1, 2, 3)
                .with(1, "0..99@0", 100)
                .with(2, "0..99@0", 100)
                .with(3, "", 0);
        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.fetch(2);
        world.append(1, 5);
        return world;
    }

    @Test
    void aReportIsSentAgainAsItWas() {
        World world = aheadByFive();
        world.publish(unknown(world.state(1, 0, 2, List.of(1), 2)));
        Effect.SendAlter report = world.at(1).takeAlter();
        world.loseAnswer(1, report);
        world.append(1, 3);
        world.passTicking(1, 1_000);
        assertThat(world.at(1).takeAlter()).isEqualTo(report);
        assertThat(world.at(1).takeAlter()).isNull();
    }

    @Test
    void nothingIsReportedWhereTheFloorIsKnownOrNobodyAsks() {
        World world = aheadByFive();
        world.active(2, false);
        world.publish(World.with(Floor.known(100, 0, true), world.state(1, 0, 2, List.of(1), 2)));
        world.publish(world.state(1, 0, 3, List.of(1, 2)));
        assertThat(world.at(1).takeAlter()).isNull();
    }

    @Test
    void aControllerThatKeepsNoFloorIsToldOnce() {
        World world = aheadByFive();
        world.active(2, false);
        world.publish(unknown(world.state(1, 0, 2, List.of(1), 2)));
        world.accept(1, world.at(1).takeAlter(), 0, 3, List.of(1));
        world.publish(unknown(world.state(1, 0, 3, List.of(1), 2)));
        assertThat(world.at(1).takeAlter()).isNull();
        world.publish(unknown(world.state(1, 0, 4, List.of(1), 2, 3)));
        assertThat(world.at(1).takeAlter()).as("something else has changed").isNotNull();
    }

    @Test
    void theFloorOfAnEmptyLogIsItsStart() {
        World world = new World(2, 1, 2).with(1, "", 0);
        world.publish(unknown(world.state(1, 0, 1, List.of(1), 2)));
        assertThat(world.at(1).takeAlter().request().floor()).isEqualTo(Floor.known(0, -1, true));
    }
}
