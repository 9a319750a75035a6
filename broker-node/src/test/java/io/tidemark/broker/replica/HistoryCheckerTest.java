package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The teeth of {@link ReplicationPropertyTest}: its histories get somewhere, and a fault planted around them is noticed. */
class HistoryCheckerTest {
    @Test
    void historiesGetSomewhere() {
        int acked = 0;
        int exposed = 0;
        int floors = 0;
        int stuck = 0;
        for (long seed = 0; seed < 50; seed++) {
            RandomHistory history = new RandomHistory(seed, RandomHistory.Fault.NONE);
            history.run(250);
            acked += history.acked;
            exposed += history.exposedRecords();
            floors += history.floors;
            history.heal();
            stuck += history.stuck ? 1 : 0;
        }
        assertThat(acked).isGreaterThan(80);
        assertThat(exposed).isGreaterThan(acked);
        assertThat(floors).isGreaterThan(300);
        assertThat(stuck).as("most come back by themselves").isLessThan(25);
    }

    @ParameterizedTest
    @EnumSource(value = RandomHistory.Fault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void everyPlantedFaultIsNoticed(RandomHistory.Fault fault) {
        AssertionError noticed = null;
        for (long seed = 0; seed < 20_000 && noticed == null; seed++) {
            try {
                new RandomHistory(seed, fault).run(250);
            } catch (AssertionError e) {
                noticed = e;
            }
        }
        assertThat(noticed).as("%s", fault).isNotNull().hasMessageContaining("broken");
    }
}
