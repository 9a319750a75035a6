package io.tidemark.broker.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fixed set of seeds; scripts/sim.sh runs more of them. */
class SimulationTest {
    private static final int LAST_EVENTS = 60;
    private static final int SEEDS_A_BLOCK = 50;

    private static ErrorLog errors;

    @BeforeAll
    static void listen() {
        errors = new ErrorLog();
    }

    @AfterAll
    static void stopListening() {
        errors.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_001, 2_001, 3_001})
    void clustersKeepTheirPromises(long first) {
        long deleted = 0;
        for (long seed = first; seed < first + SEEDS_A_BLOCK; seed++) {
            Simulation.Outcome outcome = errors.watch(seed).run(LAST_EVENTS);
            deleted += outcome.deletedPartitions();
            assertThat(outcome.breach())
                    .as("seed %d; scripts/sim.sh --seed %d%n%s", seed, seed, String.join("\n", outcome.last()))
                    .isNull();
            assertThat(outcome.events()).as("a seed is about something").isGreaterThan(3_000);
        }
        assertThat(deleted).as("topics come and go").isPositive();
    }

    @Test
    void aSeedHappensTheSameWayTwice() {
        for (long seed = 5_001; seed < 5_006; seed++) {
            Simulation.Outcome one = errors.watch(seed).run(0);
            Simulation.Outcome two = errors.watch(seed).run(0);
            assertThat(two.digest()).as("trace of seed %d", seed).isEqualTo(one.digest());
            assertThat(two.events()).isEqualTo(one.events());
        }
    }

    /** B16: who acknowledges what is not synced loses it if the power of all fails, and only then. */
    @ParameterizedTest
    @CsvSource({
        "false, PROCESS, false",
        "false, PROCESS, true",
        "false, POWER, false",
        "false, POWER, true",
        "true, PROCESS, true",
        "true, POWER, false",
        "true, POWER, true"
    })
    void eachDurabilitySurvivesWhatItPromises(boolean synced, Machine.Crash crash, boolean together) {
        long lost = 0;
        for (long seed = 7_001; seed < 7_009; seed++) {
            Simulation simulation = new Simulation(seed, new Trial(synced, crash, together));
            errors.watch(simulation);
            Simulation.Outcome outcome = simulation.run(LAST_EVENTS);
            assertThat(outcome.breach())
                    .as("seed %d%n%s", seed, String.join("\n", outcome.last()))
                    .isNull();
            assertThat(outcome.faults()).isPositive();
            assertThat(outcome.acknowledgedByAll()).isPositive();
            lost += outcome.lostBatches();
        }
        if (!synced && crash == Machine.Crash.POWER && together) {
            assertThat(lost).isPositive();
        } else {
            assertThat(lost).isZero();
        }
    }

    @Test
    void aClusterThatNothingBefallsIsNeverAtALoss() {
        Simulation simulation = new Simulation(6_001, false);
        errors.watch(simulation);
        Simulation.Outcome outcome = simulation.run(LAST_EVENTS);
        assertThat(outcome.breach()).isNull();
        assertThat(outcome.faults()).isZero();
        assertThat(outcome.uncleanElections()).isZero();
        assertThat(outcome.acknowledged()).isGreaterThan(300);
    }
}
