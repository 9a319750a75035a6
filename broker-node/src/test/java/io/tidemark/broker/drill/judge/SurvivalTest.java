package io.tidemark.broker.drill.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Keeps;
import io.tidemark.broker.drill.plan.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SurvivalTest {
    private static final List<Integer> CONTROLLERS = List.of(101, 102, 103);
    private static final Map<String, PartitionStateView> PARTITIONS = Map.of(
            "a-0", state(List.of(1, 2), List.of()),
            "b-0", state(List.of(3), List.of(2)));
    private final Survival survival = new Survival(Keeps.EVERYTHING, CONTROLLERS);

    @Test
    void aMajorityOfControllersHasToBeLeft() {
        assertThat(harm(Set.of(101), Set.of())).isEmpty();
        assertThat(harm(Set.of(101), Set.of(103)))
                .hasValueSatisfying(words -> assertThat(words).contains("only 1 of 3"));
        assertThat(harm(Set.of(101, 102), Set.of())).isPresent();
    }

    @Test
    void ofEachPartitionOneOfIsrOrElrHasToBeLeft() {
        assertThat(harm(Set.of(3), Set.of())).isEmpty();
        assertThat(harm(Set.of(3), Set.of(2)))
                .hasValueSatisfying(words -> assertThat(words).contains("b-0"));
        assertThat(harm(Set.of(1, 2), Set.of()))
                .hasValueSatisfying(words -> assertThat(words).contains("a-0"));
    }

    @Test
    void whatCannotBeLookedAtIsNotRisked() {
        assertThat(survival.refusal(step(Action.KILL), Set.of(1), Set.of(), Set.of(), () -> null))
                .isPresent();
        assertThat(survival.refusal(step(Action.KILL), Set.of(101), Set.of(), Set.of(), () -> null))
                .isEmpty();
    }

    @Test
    void aDrillThatSaysSoMayTakeEverything() {
        Survival all = new Survival(new Keeps(false, false, true), CONTROLLERS);
        assertThat(all.refusal(step(Action.KILL), Set.of(1, 2, 3, 101, 102, 103), Set.of(), Set.of(), () -> null))
                .isEmpty();
        assertThat(all.refusal(step(Action.WIPE), Set.of(1, 2), Set.of(), Set.of(), () -> PARTITIONS))
                .isPresent();
    }

    @Test
    void aDiskIsOnlyEmptiedWhileAnotherCopyIsWhole() {
        assertThat(wipe(Set.of(1), Set.of())).isEmpty();
        assertThat(wipe(Set.of(1), Set.of(2))).isPresent();
        assertThat(wipe(Set.of(101), Set.of())).isEmpty();
        assertThat(wipe(Set.of(101), Set.of(102))).isPresent();
    }

    @Test
    void thoseThatRollAreDownOneAtATime() {
        assertThat(survival.refusal(step(Action.ROLL), Set.of(1, 2, 3), Set.of(), Set.of(), () -> PARTITIONS))
                .isEmpty();
        assertThat(survival.refusal(step(Action.ROLL), Set.of(1, 2, 3), Set.of(2), Set.of(), () -> PARTITIONS))
                .isPresent();
    }

    @Test
    void nodesThatAreHinderedSoMuchThatTheyAreUselessCountAsGone() {
        for (Step harmful : List.of(
                step(Action.IMPAIR, "loss", 30),
                step(Action.IMPAIR, "delay", 3_000),
                step(Action.SLOW_DISK, "delay", 1_000))) {
            assertThat(survival.refusal(harmful, Set.of(101, 102), Set.of(), Set.of(), () -> PARTITIONS))
                    .as(harmful.words())
                    .hasValueSatisfying(words -> assertThat(words).contains("only 1 of 3"));
            assertThat(survival.refusal(harmful, Set.of(3), Set.of(2), Set.of(), () -> PARTITIONS))
                    .as(harmful.words())
                    .isPresent();
        }
        for (Step harmless : List.of(
                step(Action.IMPAIR, "loss", 29),
                step(Action.IMPAIR, "delay", 2_999),
                step(Action.SLOW_DISK, "delay", 999))) {
            assertThat(survival.refusal(harmless, Set.of(101, 102), Set.of(), Set.of(), () -> PARTITIONS))
                    .as(harmless.words())
                    .isEmpty();
        }
    }

    @Test
    void repairsAreAlwaysAllowed() {
        assertThat(survival.refusal(step(Action.START), Set.of(1), Set.of(1, 2, 3), Set.of(), () -> null))
                .isEmpty();
    }

    private Optional<String> harm(Set<Integer> targets, Set<Integer> gone) {
        return survival.refusal(step(Action.KILL), targets, gone, Set.of(), () -> PARTITIONS);
    }

    private Optional<String> wipe(Set<Integer> targets, Set<Integer> damaged) {
        return survival.refusal(step(Action.WIPE), targets, targets, damaged, () -> PARTITIONS);
    }

    private static Step step(Action action) {
        return new Step(0, action, "", "", Map.of(), 1);
    }

    private static Step step(Action action, String name, long value) {
        return new Step(0, action, "", "", Map.of(name, Long.toString(value)), 1);
    }

    private static PartitionStateView state(List<Integer> isr, List<Integer> elr) {
        return new PartitionStateView(isr.get(0), 0, List.of(1, 2, 3), isr, elr);
    }
}
