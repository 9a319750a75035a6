package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R4.2, R4.5 and R4.6 over one log: 10..29, epochs {1:10, 3:20}, mark 25. */
class ReadRulesTest {
    @ParameterizedTest
    @CsvSource({"-1, 5, NONE", "5, 5, NONE", "4, 5, FENCED_LEADER_EPOCH", "6, 5, UNKNOWN_LEADER_EPOCH"})
    void r4_2_epochs(int asked, int current, ReplicaError expected) {
        assertThat(ReadRules.epochError(asked, current)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "fetch at {0} with last epoch {1}: {2}")
    @CsvSource({
        // offset, last fetched epoch, outcome
        "10, -1, ok",
        "30, -1, ok",
        "9,  -1, OFFSET_OUT_OF_RANGE",
        "31, -1, OFFSET_OUT_OF_RANGE",
        "30, 3,  ok",
        "20, 1,  ok",
        "15, 1,  ok",
        "21, 1,  diverges 1:20",
        "25, 2,  diverges 1:20",
        "20, 2,  diverges 1:20",
        "31, 3,  diverges 3:30",
        "30, 4,  OFFSET_OUT_OF_RANGE",
        "10, 0,  ok",
        "12, 0,  diverges 0:10",
        "9,  1,  OFFSET_OUT_OF_RANGE",
        "9,  2,  OFFSET_OUT_OF_RANGE",
    })
    void r4_5_and_r4_6(long offset, int lastEpoch, String expected) {
        LogView log = new LogView(10, 30, 25, EpochHistory.of(1, 10, 3, 20));
        Effects effects = new Effects();
        boolean readable = ReadRules.readable(7, ReplicaError.NONE, offset, lastEpoch, log, log.end(), effects);
        assertThat(effects.list()).hasSize(readable ? 0 : 1);
        String outcome = "ok";
        if (!readable && effects.list().get(0) instanceof Effect.ReadDiverges diverges) {
            outcome = "diverges " + diverges.epoch() + ":" + diverges.endOffset();
            assertThat(diverges.token()).isEqualTo(7);
        } else if (!readable) {
            Effect.ReadRefused refused = (Effect.ReadRefused) effects.list().get(0);
            outcome = refused.error().name();
            assertThat(refused.highWatermark()).isEqualTo(25);
            assertThat(refused.logStart()).isEqualTo(10);
        }
        assertThat(outcome).isEqualTo(expected);
    }
}
