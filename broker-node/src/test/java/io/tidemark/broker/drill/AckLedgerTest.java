package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AckLedgerTest {
    private static final long MS = 1_000_000;

    private final AckLedger ledger = new AckLedger();

    @Test
    void theLongestGapIsBetweenAnyTwoAcks() {
        ledger.acked(0, 0, 10 * MS);
        ledger.acked(1, 1, 90 * MS);
        ledger.acked(2, 2, 95 * MS);
        assertThat(ledger.longestGapMs()).isEqualTo(80);
    }

    @Test
    void theTimeAfterTheLastAckCountsAndThatBeforeTheFirstDoesNot() {
        ledger.acked(0, 0, 50 * MS);
        assertThat(ledger.longestGapMs()).isZero();
        ledger.stop(250 * MS);
        assertThat(ledger.longestGapMs()).isEqualTo(200);
    }

    @Test
    void gapsBeforeTheMomentThatCountsAreForgotten() {
        ledger.acked(0, 0, 10 * MS);
        ledger.acked(1, 1, 90 * MS);
        ledger.forgetGaps();
        ledger.acked(2, 2, 120 * MS);
        assertThat(ledger.longestGapMs()).isEqualTo(30);
    }

    @Test
    void givenUpRecordsAreNotAcked() {
        ledger.acked(0, 7, MS);
        ledger.failed();
        assertThat(ledger.ackedCount()).isEqualTo(1);
        assertThat(ledger.failedCount()).isEqualTo(1);
        assertThat(ledger.acks()).isEqualTo(Map.of(0L, 7L));
    }
}
