package io.tidemark.broker.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
        for (long seed = first; seed < first + SEEDS_A_BLOCK; seed++) {
            Simulation.Outcome outcome = errors.watch(seed).run(LAST_EVENTS);
            assertThat(outcome.breach())
                    .as("seed %d; scripts/sim.sh --seed %d%n%s", seed, seed, String.join("\n", outcome.last()))
                    .isNull();
            assertThat(outcome.events()).as("a seed is about something").isGreaterThan(3_000);
        }
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
