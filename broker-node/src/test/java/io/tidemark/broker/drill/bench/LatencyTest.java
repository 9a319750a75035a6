package io.tidemark.broker.drill.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LatencyTest {
    @Test
    void aPercentileIsTheSmallestValueThatSoManyDoNotExceed() {
        double[] sorted = IntStream.rangeClosed(1, 1000).asDoubleStream().toArray();
        assertThat(Latency.percentile(sorted, 50)).isEqualTo(500);
        assertThat(Latency.percentile(sorted, 99)).isEqualTo(990);
        assertThat(Latency.percentile(sorted, 99.9)).isEqualTo(999);
        assertThat(Latency.percentile(new double[] {7}, 99.9)).isEqualTo(7);
    }
}
