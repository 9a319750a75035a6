package io.tidemark.broker.drill.judge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AvailabilityTest {
    @Test
    void theLongestGapIsFoundWhereverItIs() {
        assertThat(Availability.of(new long[] {110, 400, 120, 410}, 100, 420)).isEqualTo(new Availability(280, 120));
        assertThat(Availability.of(new long[] {190}, 100, 200)).isEqualTo(new Availability(90, 100));
        assertThat(Availability.of(new long[] {110}, 100, 200)).isEqualTo(new Availability(90, 110));
        assertThat(Availability.of(new long[] {}, 100, 200)).isEqualTo(new Availability(100, 100));
    }

    @Test
    void acksBeforeTheLoadCountForNothing() {
        assertThat(Availability.of(new long[] {5, 110}, 100, 120)).isEqualTo(new Availability(10, 100));
        assertThat(Availability.histogram(new long[] {5, 110, 199, 200, 500}, 100, 300, 100))
                .containsExactly(2, 1);
    }
}
