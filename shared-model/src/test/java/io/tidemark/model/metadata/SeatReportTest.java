package io.tidemark.model.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which logs hold what a floor asks for (B1, rule 5). Their history is {0:0, 2:10, 5:20}. */
class SeatReportTest {
    private static SeatReport log(long start, long end) {
        return new SeatReport(
                1,
                new PartitionId(new TopicId(1, 1), 0),
                start,
                end,
                EpochHistory.of(0, 0, 2, 10, 5, 20).truncateFromEnd(end).truncateFromStart(start));
    }

    @ParameterizedTest
    @CsvSource({
        // start, end, floor, its epoch, holds
        "0, 15, 15, 2, true",
        "0, 15, 14, 2, true",
        "0, 15, 16, 2, false", // too short
        "0, 15, 10, 0, true", // the record before the floor is the last of epoch 0
        "0, 15, 11, 0, false", // as long as asked for, but another record (C6)
        "0, 15, 10, 2, false", // another record of an older epoch
        "0, 30, 15, 5, false",
        "0, 30, 21, 5, true",
        "0, 0, 0, -1, true", // nothing was exposed
        "0, 0, 1, 0, false",
        "12, 15, 12, 2, true", // what was exposed has been given up
        "12, 15, 13, 2, true",
        "12, 15, 5, 0, true",
        "15, 15, 15, 2, true",
        "0, 15, 15, -1, false" // the leader could not say
    })
    void holds(long start, long end, long offset, int epoch, boolean expected) {
        assertThat(log(start, end).holds(Floor.known(offset, epoch, true))).isEqualTo(expected);
        assertThat(log(start, end).holds(Floor.known(offset, epoch, false))).isEqualTo(expected);
    }

    /** Whoever says less of its log is believed to hold less. */
    @ParameterizedTest
    @CsvSource({
        "25, 5, true",
        "21, 5, true",
        "20, 2, true",
        "11, 2, true",
        "10, 0, false",
        "5, 0, false",
        "5, -1, false"
    })
    void whatIsNotReportedIsNotHeld(long offset, int epoch, boolean expected) {
        SeatReport whole = log(0, 30);
        SeatReport newest =
                new SeatReport(1, whole.partition(), 0, 30, whole.epochs().newest(2));
        assertThat(newest.holds(Floor.known(offset, epoch, true))).isEqualTo(expected);
        assertThat(newest.lastEpoch()).isEqualTo(whole.lastEpoch());
    }

    @ParameterizedTest
    @CsvSource({"0, 15, 2", "0, 10, 0", "0, 11, 2", "0, 0, -1", "15, 15, 2", "0, 25, 5"})
    void lastEpoch(long start, long end, int expected) {
        assertThat(log(start, end).lastEpoch()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"UNKNOWN", "NONE"})
    void noLogHoldsWhatIsNotKnown(Floor.Kind kind) {
        assertThat(log(0, 30).holds(new Floor(kind, -1, -1, false))).isFalse();
    }
}
