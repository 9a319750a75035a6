package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The account of throttled replication (R4.23): over any time no more than the rate, one unused second and one piece. */
class ReplicationQuotaTest {
    private static final long START_MS = 5_000_000;

    private final ReplicationQuota quota = new ReplicationQuota();

    @Test
    void withoutARateItIsOpen() {
        quota.moved(Long.MAX_VALUE / 2, START_MS);
        assertThat(quota.open(START_MS)).isTrue();
    }

    @Test
    void aRateOfNothingIsClosed() {
        quota.rate(0);
        assertThat(quota.open(START_MS)).isFalse();
        assertThat(quota.open(START_MS + 1_000_000)).isFalse();
        assertThat(quota.askAgainMs(START_MS)).isBetween(START_MS + 1, START_MS + 500);
    }

    @Test
    void whatIsMovedIsPaidForByTime() {
        quota.rate(1_000);
        quota.moved(1_000, START_MS);
        assertThat(quota.open(START_MS)).as("the second nobody used").isTrue();
        quota.moved(250, START_MS);
        assertThat(quota.open(START_MS)).isFalse();
        assertThat(quota.open(START_MS + 249)).isFalse();
        assertThat(quota.open(START_MS + 250)).isTrue();
        assertThat(quota.askAgainMs(START_MS)).isEqualTo(START_MS + 251);
    }

    @Test
    void anotherRateForgetsTheDebt() {
        quota.rate(1);
        quota.moved(1_000_000, START_MS);
        quota.rate(1);
        assertThat(quota.open(START_MS + 1_000)).as("the same rate").isFalse();
        quota.rate(2);
        assertThat(quota.open(START_MS)).isTrue();
        quota.rate(ReplicationQuota.UNLIMITED);
        assertThat(quota.open(START_MS)).isTrue();
    }

    @Property
    void noMoreThanTheRate(
            @ForAll @LongRange(min = 1, max = 100_000_000) long rate,
            @ForAll @Size(min = 1, max = 50) java.util.List<@IntRange(min = 1, max = 2_000) Integer> gapsMs,
            @ForAll @IntRange(min = 1, max = 1_000_000) int piece) {
        ReplicationQuota limited = new ReplicationQuota();
        limited.rate(rate);
        long now = START_MS;
        long moved = 0;
        for (int gap : gapsMs) {
            now += gap;
            while (limited.open(now) && moved < 50L * piece) {
                limited.moved(piece, now);
                moved += piece;
            }
        }
        double allowed = (now - START_MS) / 1_000.0 * rate + rate + piece;
        assertThat((double) moved).isLessThanOrEqualTo(allowed * 1.001 + 50);
    }
}
