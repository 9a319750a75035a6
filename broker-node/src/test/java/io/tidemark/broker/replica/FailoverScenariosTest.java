package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.replica.ReplicaEvent.OffsetQuery.Bound;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.metadata.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What logs, epoch histories and marks become when leaders change: scenarios of the rules by number. */
class FailoverScenariosTest {
    @Test
    void s1a_aFollowerRestartDoesNotCutToTheMark() {
        World world = new World(1, 1, 2).with(1, "0..1@0", 2).with(2, "0..1@0", 1);
        world.publish(world.state(1, 0, 0, List.of(1, 2)));
        FetchPosition asked = world.ask(2).position();
        assertThat(asked).isEqualTo(new FetchPosition(1, 0, 2, 0, 0));
        assertThat(world.at(2).mark()).isEqualTo(1);
        world.fetch(2);
        assertThat(world.at(2).has(Effect.Truncate.class)).isFalse();
        assertThat(world.at(2).log).hasToString("0..1@0");
        assertThat(world.at(2).mark()).isEqualTo(2);
    }

    @Test
    void s1b_theReturnedFollowerLeadsWithEverything() {
        World world = new World(1, 1, 2).with(1, "0..1@0", 2).with(2, "0..1@0", 1);
        world.publish(world.state(1, 0, 1, List.of(1)));
        world.fetch(2);
        Effect.SendAlter alter = world.at(1).takeAlter();
        assertThat(alter.request().partitionEpoch()).isEqualTo(1);
        world.accept(1, alter, 0, 2, List.of(1, 2));
        world.publish(world.state(1, 0, 2, List.of(1, 2)));
        world.publish(world.state(2, 1, 3, List.of(2)), 2);
        Node second = world.at(2);
        assertThat(second.log).hasToString("0..1@0");
        assertThat(second.log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 2));
        assertThat(second.mark()).isEqualTo(2);
        assertThat(world.consume(2, 1).contents()).containsExactly("1@0");
    }

    @Test
    void s2_divergenceAfterDoublePowerLoss() {
        // 2 has lost b and was elected, uncleanly and said so, at LE 3; it never acted in LE 1.
        World world = new World(1, 1, 2).with(1, "0..1@0", 2).with(2, "0@0", 0);
        world.publish(world.state(2, 3, 4, List.of(2)), 2);
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 3, 1));
        world.produce(2, -1, "c");
        world.publish(world.state(2, 3, 4, List.of(2)), 1);
        World.Answer answer = world.fetch(1);
        assertThat(answer.event().diverging()).hasToString("0:1");
        assertThat(world.at(1).log).hasToString("0@0");
        world.catchUp(1);
        for (int id : List.of(1, 2)) {
            assertThat(world.at(id).log).hasToString("0@0 1@3");
            assertThat(world.at(id).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 3, 1));
            assertThat(world.at(id).log.at(1).content()).isEqualTo("c");
            assertThat(world.at(id).mark()).isEqualTo(2);
        }
        Effect.SendAlter alter = world.at(2).takeAlter();
        assertThat(alter.request().isr())
                .extracting(member -> member.brokerId())
                .containsExactly(2, 1);
        assertThat(alter.request().partitionEpoch()).isEqualTo(4);
    }

    @Test
    void s3_multiEpochTruncation() {
        World world = new World(1, 1, 2).with(1, "0..9@0 10..14@1", 10).with(2, "0..9@0 10..12@2", 10);
        world.publish(world.state(1, 3, 3, List.of(1)));
        assertThat(world.at(1).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 10, 3, 15));
        World.Request first = world.ask(2);
        assertThat(first.position()).isEqualTo(new FetchPosition(1, 3, 13, 2, 0));
        World.Answer answer = world.serve(first);
        assertThat(answer.event().diverging()).hasToString("1:15");
        world.at(2).receive(world.now, answer);
        assertThat(world.at(2).end()).as("not min(15, 13)").isEqualTo(10);
        assertThat(world.ask(2).position()).isEqualTo(new FetchPosition(1, 3, 10, 0, 0));
        world.append(1, 1);
        world.catchUp(2);
        assertThat(world.at(2).log).hasToString("0..9@0 10..14@1 15@3");
        assertThat(world.at(2).log.batches()).isEqualTo(world.at(1).log.batches());
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 10, 3, 15));
    }

    @Test
    void s4_truncationGoesBelowTheMarkIfItMust() {
        World world = new World(1, 1, 2).with(1, "0..5@0", 6).with(2, "0..4@0", 5);
        world.publish(world.state(2, 1, 2, List.of(2)));
        world.produce(2, 1, "x");
        assertThat(world.at(1).mark()).isEqualTo(6);
        world.fetch(1);
        assertThat(world.at(1).end()).isEqualTo(5);
        assertThat(world.at(1).mark()).isEqualTo(5);
        assertThat(world.at(1).effects)
                .filteredOn(Effect.Say.class::isInstance)
                .anySatisfy(say -> assertThat(((Effect.Say) say).text()).contains("below the high watermark 6"));
        world.catchUp(1);
        for (int id : List.of(1, 2)) {
            assertThat(world.at(id).log).hasToString("0..4@0 5@1");
            assertThat(world.at(id).log.at(5).content()).isEqualTo("x");
            assertThat(world.at(id).mark()).isEqualTo(6);
        }
    }

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
    void s10_zombieLeader() {
        World world = baseline(2);
        world.publish(world.state(2, 1, 1, List.of(2, 3)), 2, 3);
        long z = world.produce(1, 1, "z");
        long z2 = world.produce(1, -1, "z2");
        assertThat(world.at(1).answer(z)).isEqualTo(ReplicaError.NONE);
        assertThat(world.at(1).mark()).isEqualTo(100);
        world.produce(2, -1, "y");
        world.fetch(3);
        world.fetch(3);
        assertThat(world.at(2).mark()).isEqualTo(101);
        assertThat(world.consume(1, 100)).isEqualTo(new World.Consumed(ReplicaError.NONE, List.of()));

        world.passTicking(1, World.LAG_MS + 1);
        world.refuse(1, world.at(1).takeAlter(), ErrorCode.FENCED_LEADER_EPOCH);
        assertThat(world.at(1).mark()).isEqualTo(100);
        assertThat(world.at(1).answer(z2)).isNull();

        world.publish(world.state(2, 1, 1, List.of(2, 3)), 1);
        assertThat(world.at(1).answer(z2)).isEqualTo(ReplicaError.NOT_LEADER_OR_FOLLOWER);
        World.Request request = world.ask(1);
        assertThat(request.position()).isEqualTo(new FetchPosition(2, 1, 102, 0, 0));
        World.Answer answer = world.fetch(1);
        assertThat(answer.event().diverging()).hasToString("0:100");
        world.catchUp(1);
        assertThat(world.at(1).log).hasToString("0..99@0 100@1");
        assertThat(world.at(1).log.at(100).content()).isEqualTo("y");
        assertThat(world.at(1).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 1, 100));
    }

    @Test
    void s12_isrToOneThenKillTheLeader() {
        World world = baseline(2);
        world.publish(world.state(1, 0, 1, List.of(1, 2)));
        world.publish(world.state(1, 0, 2, List.of(1), 2), 1);
        world.active(2, false);
        world.active(3, false);
        assertThat(world.at(1).answer(world.produce(1, -1, "n"))).isEqualTo(ReplicaError.NOT_ENOUGH_REPLICAS);
        world.append(1, 10);
        assertThat(world.at(1).end()).isEqualTo(110);
        assertThat(world.at(1).mark()).isEqualTo(100);

        // 1 dies; 2 comes back clean and leads, with 1's seat in the ELR.
        world.restart(2, world.at(2).log, world.at(2).mark(), 22);
        world.publish(world.state(2, 2, 5, List.of(2), 1), 2);
        assertThat(world.at(2).log).hasToString("0..99@0");
        assertThat(world.at(2).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 2, 100));
        world.append(2, 1);
        assertThat(world.at(2).mark()).as("frozen: 1 < 2").isEqualTo(100);

        // 1 comes back clean with 110.
        world.restart(1, world.at(1).log, world.at(1).mark(), 21);
        world.publish(world.state(2, 2, 5, List.of(2), 1), 1, 2);
        World.Answer answer = world.fetch(1);
        assertThat(answer.event().diverging()).hasToString("0:100");
        assertThat(world.at(1).end()).isEqualTo(100);
        world.catchUp(1);
        Effect.SendAlter alter = world.at(2).takeAlter();
        assertThat(alter.request().isr())
                .extracting(member -> member.brokerId(), member -> member.brokerEpoch())
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(2, 22L), org.assertj.core.groups.Tuple.tuple(1, 21L));
        world.accept(2, alter, 2, 6, List.of(2, 1));
        world.publish(world.state(2, 2, 6, List.of(2, 1)), 1, 2);
        assertThat(world.at(2).mark()).isEqualTo(101);
    }

    @Test
    void s15_uncleanElectionWithDivergence() {
        World world = new World(2, 1, 2, 3)
                .with(1, "0..101@0", 102)
                .with(2, "0..101@0", 102)
                .with(3, "0..100@0", 100);
        world.publish(world.state(3, 2, 3, List.of(3)));
        assertThat(world.at(3).log.epochs()).isEqualTo(EpochHistory.of(0, 0, 2, 101));
        assertThat(world.at(3).mark()).isEqualTo(100);
        assertThat(world.consume(3, 100).contents()).as("|ISR| 1 < 2").isEmpty();
        World.Answer answer = world.fetch(2);
        assertThat(answer.event().diverging()).hasToString("0:101");
        assertThat(world.at(2).end()).isEqualTo(101);
        assertThat(world.consume(3, 102).error()).isEqualTo(ReplicaError.OFFSET_OUT_OF_RANGE);
        world.catchUp(2);
        world.accept(3, world.at(3).takeAlter(), 2, 4, List.of(3, 2));
        world.publish(world.state(3, 2, 4, List.of(3, 2)));
        assertThat(world.consume(3, 100).contents()).containsExactly("100@0");
    }

    @Test
    void s21_theMarkIsLowerOnTheNewLeader() {
        World world = new World(2, 1, 2, 3)
                .with(1, "0..109@0", 110)
                .with(2, "0..109@0", 100)
                .with(3, "0..109@0", 100);
        world.publish(world.state(2, 1, 1, List.of(2, 3)));
        Node leader = world.at(2);
        assertThat(leader.mark()).isEqualTo(100);
        assertThat(leader.replica.markBehindEpochStart()).isTrue();
        assertThat(world.offset(2, Bound.LATEST)).isEqualTo("OFFSET_NOT_AVAILABLE");
        assertThat(world.offset(2, Bound.EARLIEST)).isEqualTo("0");
        assertThat(world.consume(2, 105)).isEqualTo(new World.Consumed(ReplicaError.NONE, List.of()));
        assertThat(world.consume(2, 111).error()).isEqualTo(ReplicaError.OFFSET_OUT_OF_RANGE);
        world.fetch(3);
        assertThat(leader.mark()).isEqualTo(110);
        assertThat(leader.replica.markBehindEpochStart()).isFalse();
        assertThat(world.offset(2, Bound.LATEST)).isEqualTo("110");
        assertThat(world.consume(2, 105).contents()).hasSize(5);
    }

    @Test
    void s21_aReplicaBelowTheEpochStartCannotJoin() {
        World world =
                new World(1, 1, 2, 3).with(1, "", 0).with(2, "0..109@0", 100).with(3, "0..104@0", 100);
        world.publish(world.state(2, 1, 1, List.of(2, 1)), 2, 3);
        World.Answer answer = world.serve(world.ask(3));
        assertThat(world.at(2).mark()).as("1 has not fetched").isEqualTo(100);
        assertThat(world.at(2).takeAlter()).as("105 >= mark, but < 110").isNull();
        world.at(3).receive(world.now, answer);
        world.fetch(3);
        assertThat(world.at(2).takeAlter()).isNotNull();
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
