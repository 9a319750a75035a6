package io.tidemark.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R6.20 to R6.22 as tables; histories are written "epoch:start epoch:start". */
class EpochHistoryTest {
    private static EpochHistory history(String text) {
        if (text == null) {
            return EpochHistory.EMPTY;
        }
        return EpochHistory.of(List.of(text.split(" ")).stream()
                .map(entry ->
                        new EpochAndOffset(Integer.parseInt(entry.split(":")[0]), Long.parseLong(entry.split(":")[1])))
                .toList());
    }

    @ParameterizedTest(name = "{0} up to {1}: epoch {2} ends at {3}")
    @CsvSource({
        // history, log end, epoch, answer
        ",              5,  0, -1:-1",
        "0:0,           5, -1, -1:-1",
        "0:0,           5,  0, 0:5",
        "0:0,           5,  1, -1:-1",
        // S2, S4, S10, S12
        "0:0 3:1,       2,  0, 0:1",
        "0:0 1:5,       6,  0, 0:5",
        "0:0 1:100,   101,  0, 0:100",
        "0:0 2:100,   110,  1, 0:100",
        // S3
        "0:0 1:10 3:15, 15, 2, 1:15",
        "0:0 2:10,      13, 1, 0:10",
        "0:0 1:10 3:15, 15, 3, 3:15",
        // S15
        "0:0 2:101,    101, 1, 0:101",
        // S20
        "0:0 3:100 4:120, 120, 2, 0:100",
        "4:120,         120, 2, 2:120",
        // the history below was deleted
        "3:50 5:60,     70, 1, 1:50",
        "3:50 5:60,     70, 4, 3:60",
    })
    void r6_20_endOffsetFor(String text, long end, int epoch, String expected) {
        assertThat(history(text).endOffsetFor(epoch, end)).hasToString(expected);
    }

    @ParameterizedTest(name = "{0} + ({1}, {2}) = {3}")
    @CsvSource({
        ",                0,  0, 0:0",
        "0:0 1:5 2:9,     1,  7, 0:0 1:7",
        "0:0 1:5 2:9,     3,  9, 0:0 1:5 3:9",
        "0:0 1:5 2:9,     2, 12, 0:0 1:5 2:9",
        "0:0 1:5 2:9,     2,  9, 0:0 1:5 2:9",
        "0:0 1:5 2:9,     2,  7, 0:0 1:5 2:7",
        "0:0 1:5 2:9,     4, 20, 0:0 1:5 2:9 4:20",
        "0:0 1:5 2:9,     4,  0, 4:0",
        "0:0 1:5 2:9,     0,  0, 0:0",
    })
    void r6_21_assign(String text, int epoch, long start, String expected) {
        assertThat(history(text).assign(epoch, start)).isEqualTo(history(expected));
    }

    @ParameterizedTest(name = "{0} cut at {1}: {2}")
    @CsvSource({
        "0:0 1:5 2:9, 10, 0:0 1:5 2:9",
        "0:0 1:5 2:9,  9, 0:0 1:5",
        "0:0 1:5 2:9,  6, 0:0 1:5",
        "0:0 1:5 2:9,  5, 0:0",
        "0:0 1:5 2:9,  0, ",
    })
    void r6_22_truncateFromEnd(String text, long end, String expected) {
        assertThat(history(text).truncateFromEnd(end)).isEqualTo(history(expected));
    }

    @ParameterizedTest(name = "{0} from {1} on: {2}")
    @CsvSource({
        "0:0 1:5 2:9,  0, 0:0 1:5 2:9",
        "0:0 1:5 2:9,  3, 0:3 1:5 2:9",
        "0:0 1:5 2:9,  5, 1:5 2:9",
        "0:0 1:5 2:9,  7, 1:7 2:9",
        "0:0 1:5 2:9, 20, 2:20",
        "2:9,          5, 2:9",
    })
    void r6_22_truncateFromStart(String text, long start, String expected) {
        assertThat(history(text).truncateFromStart(start)).isEqualTo(history(expected));
    }

    @Test
    void theNewestKnowNothingOfWhatLiesBeforeThem() {
        EpochHistory history = history("0:0 1:5 2:9");
        assertThat(history.newest(2)).isEqualTo(history("1:5 2:9"));
        assertThat(history.newest(2).epochAt(4)).isEqualTo(-1);
        assertThat(history.newest(3)).isEqualTo(history);
        assertThat(EpochHistory.EMPTY.newest(1)).isEqualTo(EpochHistory.EMPTY);
    }

    @Test
    void epochAtIsTheEntryAtOrBelow() {
        EpochHistory history = history("1:5 3:9");
        assertThat(List.of(history.epochAt(4), history.epochAt(5), history.epochAt(8), history.epochAt(9)))
                .containsExactly(-1, 1, 1, 3);
        assertThat(history.latestEpoch()).isEqualTo(3);
        assertThat(EpochHistory.EMPTY.latestEpoch()).isEqualTo(-1);
    }

    @Test
    void whatDoesNotRiseIsRefused() {
        for (String wrong : List.of("1:5 1:6", "2:5 1:6", "1:5 2:5", "1:5 2:4", "-1:0", "0:-1")) {
            assertThatThrownBy(() -> history(wrong)).as(wrong).isInstanceOf(Check.Violation.class);
        }
        assertThatThrownBy(() -> EpochHistory.EMPTY.assign(-1, 0)).isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> EpochHistory.EMPTY.assign(0, -1)).isInstanceOf(Check.Violation.class);
    }
}
