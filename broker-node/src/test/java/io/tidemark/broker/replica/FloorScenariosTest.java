package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a leader says of the exposed prefix when its ISR is below the min ISR, and that it keeps to it (B1, rules 2 to 4). The
 * traps are named as where they were found; the controllers' part of each is theirs to test.
 */
class FloorScenariosTest {
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

    private static Effect.SendAlter shrinking(World world) {
        world.passTicking(1, World.LAG_MS + 1);
        Effect.SendAlter alter = world.at(1).takeAlter();
        assertThat(alter.request().isr()).extracting(IsrMember::brokerId).containsExactly(1);
        assertThat(alter.request().floor()).isEqualTo(Floor.known(100, 0, true));
        return alter;
    }

    @Test
    void c1_aFreshLeaderNamesTheStartOfItsEpoch() {
        World world = new World(2, 1, 2, 3).with(3, "0@0", 0);
        world.publish(unknown(world.state(3, 1, 2, List.of(3), 1)));
        Effect.SendAlter report = world.at(3).takeAlter();
        assertThat(report.request().kind()).isEqualTo(IsrProposal.Kind.REPORT);
        assertThat(report.request().isr()).containsExactly(new IsrMember(3, 13));
        assertThat(report.request().leaderEpoch()).isEqualTo(1);
        assertThat(report.request().partitionEpoch()).isEqualTo(2);
        assertThat(report.request().floor())
                .as("1 may have exposed 0, of which 3 has not heard")
                .isEqualTo(Floor.known(1, 0, false));
    }

    @Test
    void c2_theMarkStaysWhatWasSaidUntilTheNextPartitionEpoch() {
        World world = aheadByFive();
        Effect.SendAlter shrink = shrinking(world);
        world.catchUp(2);
        assertThat(world.at(2).end()).isEqualTo(105);
        assertThat(world.at(1).mark())
                .as("2 is still in the maximal ISR, and has it all")
                .isEqualTo(100);

        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.catchUp(2);
        assertThat(world.at(1).mark()).as("nothing new").isEqualTo(100);

        world.accept(1, shrink, 0, 2, List.of(1));
        world.publish(World.with(Floor.known(100, 0, true), world.state(1, 0, 2, List.of(1), 2)));
        world.catchUp(2);
        assertThat(world.at(1).mark()).as("below the min ISR it stands").isEqualTo(100);
        Effect.SendAlter grow = world.at(1).takeAlter();
        assertThat(grow.request().isr()).extracting(IsrMember::brokerId).containsExactly(1, 2);
        world.accept(1, grow, 0, 3, List.of(1, 2));
        world.publish(world.state(1, 0, 3, List.of(1, 2)));
        assertThat(world.at(1).mark()).isEqualTo(105);
    }

    @Test
    void c2_aRefusalDoesNotLetTheMarkGoEither() {
        World world = aheadByFive();
        world.refuse(1, shrinking(world), ErrorCode.INELIGIBLE_REPLICA);
        assertThat(world.at(1).replica.isr()).isInstanceOf(IsrState.Cancelling.class);
        Effect.SendAlter cancel = world.at(1).takeAlter();
        assertThat(cancel.request().kind()).isEqualTo(IsrProposal.Kind.CANCEL);
        assertThat(cancel.request().isr()).extracting(IsrMember::brokerId).containsExactly(1, 2);
        world.catchUp(2);
        assertThat(world.at(1).mark()).isEqualTo(100);
        world.accept(1, cancel, 0, 2, List.of(1, 2));
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        assertThat(world.at(1).mark())
                .as("PE has moved: the shrink can never be taken")
                .isEqualTo(105);
    }

    @Test
    void aShrinkThatStaysAtTheMinHoldsNothing() {
        World world = new World(1, 1, 2).with(1, "0..99@0", 100).with(2, "0..99@0", 100);
        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.fetch(2);
        world.append(1, 5);
        world.passTicking(1, World.LAG_MS + 1);
        assertThat(world.at(1).takeAlter().request().isr()).hasSize(1);
        world.catchUp(2);
        assertThat(world.at(1).mark()).isEqualTo(105);
    }

    @Test
    void c3_aReportBelongsToItsPartitionEpoch() {
        World world = aheadByFive();
        world.active(2, false);
        world.publish(unknown(world.state(1, 0, 2, List.of(1), 2)));
        Effect.SendAlter first = world.at(1).takeAlter();
        assertThat(first.request().kind()).isEqualTo(IsrProposal.Kind.REPORT);
        assertThat(first.request().floor()).isEqualTo(Floor.known(100, 0, true));
        world.active(2, true);
        world.publish(world.state(1, 0, 3, List.of(1, 2)));
        world.catchUp(2);
        assertThat(world.at(1).mark()).isEqualTo(105);
        world.active(2, false);
        world.publish(unknown(world.state(1, 0, 4, List.of(1), 2)));
        Effect.SendAlter second = world.at(1).takeAlter();
        assertThat(second.request().partitionEpoch()).isEqualTo(4);
        assertThat(second.request().floor()).isEqualTo(Floor.known(105, 0, true));
        world.accept(1, first, 0, 3, List.of(1));
        assertThat(world.at(1).replica.isr()).as("an answer to another").isInstanceOf(IsrState.Reporting.class);
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
    void c9_aNewLeaderKeepsItsOwnMark() {
        World world = new World(2, 1, 2, 3).with(3, "0..9@0", 4);
        world.publish(World.with(Floor.known(8, 0, true), world.state(3, 1, 2, List.of(3), 1)));
        assertThat(world.at(3).mark()).isEqualTo(4);
        assertThat(world.at(3).takeAlter()).isNull();
    }

    @Test
    void theFloorOfAnEmptyLogIsItsStart() {
        World world = new World(2, 1, 2).with(1, "", 0);
        world.publish(unknown(world.state(1, 0, 1, List.of(1), 2)));
        assertThat(world.at(1).takeAlter().request().floor()).isEqualTo(Floor.known(0, -1, true));
    }
}
