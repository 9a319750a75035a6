package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final Map<Long, Long> ACKS = Map.of(0L, 10L, 1L, 11L, 2L, 12L);

    @Test
    void everyAckReadOnceAtItsOffsetAndInOrderIsKept() {
        Verdict verdict = Verdict.of(ACKS, read(10, 0, 11, 1, 12, 2));
        assertThat(verdict).isEqualTo(new Verdict(3, 3, 0, 0, 0, 0));
        assertThat(verdict.kept()).isTrue();
    }

    @Test
    void aRecordReadWithoutAnAckBreaksNothing() {
        assertThat(Verdict.of(ACKS, read(10, 0, 11, 1, 12, 2, 13, 3)).kept()).isTrue();
    }

    @Test
    void anAckedRecordThatIsMissingIsLost() {
        Verdict verdict = Verdict.of(ACKS, read(10, 0, 12, 2));
        assertThat(verdict.lost()).isEqualTo(1);
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void anAckedRecordAtAnotherOffsetIsCountedUnlessNoOffsetWasTold() {
        Verdict verdict = Verdict.of(ACKS, read(10, 0, 11, 1, 13, 2));
        assertThat(verdict).isEqualTo(new Verdict(3, 3, 0, 1, 0, 0));
        assertThat(verdict.kept()).isFalse();
        assertThat(Verdict.of(Map.of(2L, AckLedger.UNKNOWN_OFFSET), read(13, 2)).kept())
                .isTrue();
    }

    @Test
    void aRepeatIsADuplicateAndNotOutOfOrderAsWell() {
        Verdict verdict = Verdict.of(ACKS, read(10, 0, 11, 1, 12, 2, 13, 1));
        assertThat(verdict).isEqualTo(new Verdict(3, 4, 0, 0, 1, 0));
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void aLowerNumberAfterAHigherOneIsOutOfOrder() {
        Verdict verdict = Verdict.of(Map.of(0L, 0L, 1L, 2L, 2L, 1L), read(0, 0, 1, 2, 2, 1));
        assertThat(verdict).isEqualTo(new Verdict(3, 3, 0, 0, 0, 1));
        assertThat(verdict.kept()).isFalse();
    }

    @Test
    void aDrillWithoutAcksProvesNothing() {
        assertThat(Verdict.of(Map.of(), read(0, 0)).kept()).isFalse();
    }

    /** Pairs of offset and number. */
    private static List<ReadRecord> read(long... pairs) {
        List<ReadRecord> records = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            records.add(new ReadRecord(pairs[i], pairs[i + 1]));
        }
        return records;
    }
}
