package io.tidemark.model.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Names, text and MBeans of metrics. */
class MetricsTest {
    private static final MetricName LAG =
            MetricName.of("kafka.server", "ReplicaFetcherManager", "MaxLag").with("clientId", "Replica");
    private static final MetricName SHRINKS = MetricName.of("kafka.server", "ReplicaManager", "IsrShrinksPerSec");
    private static final MetricName END = MetricName.of("kafka.log", "Log", "LogEndOffset")
            .with("topic", "orders")
            .with("partition", 0);

    @Test
    void namesAreTheCustomaryOnes() {
        assertThat(LAG.prometheusName()).isEqualTo("kafka_server_replicafetchermanager_maxlag");
        assertThat(SHRINKS.prometheusName()).isEqualTo("kafka_server_replicamanager_isrshrinks_total");
        assertThat(END.prometheusName()).isEqualTo("kafka_log_log_logendoffset");
        assertThat(END.objectName()).hasToString("kafka.log:type=Log,name=LogEndOffset,topic=orders,partition=0");
        assertThat(LAG.with("host", "[::1]:9092").objectName().getKeyProperty("host"))
                .isEqualTo("\"[::1]:9092\"");
    }

    @Test
    void textHasOneTypeLineForEachNameAndEscapesLabels() {
        assertThat(PrometheusText.of(List.of(
                        new Metric(END, 7L, false),
                        new Metric(SHRINKS, 2L, true),
                        new Metric(
                                MetricName.of("kafka.log", "Log", "LogEndOffset")
                                        .with("topic", "a\"\\\n"),
                                8L,
                                false))))
                .isEqualTo("""
                        # TYPE kafka_log_log_logendoffset gauge
                        kafka_log_log_logendoffset{topic="orders",partition="0"} 7
                        kafka_log_log_logendoffset{topic="a\\"\\\\\\n"} 8
                        # TYPE kafka_server_replicamanager_isrshrinks_total counter
                        kafka_server_replicamanager_isrshrinks_total 2
                        """);
    }

    @Test
    void beansComeAndGoWithTheirMetrics() throws Exception {
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        List<Metric> now = new ArrayList<>(List.of(new Metric(END, 7L, false), new Metric(SHRINKS, 10L, true)));
        Metrics metrics = new Metrics();
        metrics.add(sink -> now.forEach(sink::put));
        MetricBeans beans = new MetricBeans(server, metrics, true);
        beans.tick();
        ObjectName end = new ObjectName("kafka.log:type=Log,name=LogEndOffset,topic=orders,partition=0");
        ObjectName shrinks = new ObjectName("kafka.server:type=ReplicaManager,name=IsrShrinksPerSec");
        assertThat(server.getAttribute(end, "Value")).isEqualTo(7L);
        assertThat(server.getAttribute(shrinks, "Count")).isEqualTo(10L);

        now.set(1, new Metric(SHRINKS, 20L, true));
        beans.tick();
        assertThat(server.getAttribute(shrinks, "Count")).isEqualTo(20L);
        assertThat((double) server.getAttribute(shrinks, "OneMinuteRate")).isCloseTo(2.0, within(1e-9));
        assertThat(server.getMBeanInfo(shrinks).getAttributes()).hasSize(6);

        MetricBeans few = new MetricBeans(MBeanServerFactory.newMBeanServer("few"), metrics, false);
        few.tick();
        assertThat(few.names()).containsExactly(SHRINKS);

        now.remove(0);
        beans.tick();
        assertThat(server.isRegistered(end)).isFalse();
        beans.close();
        assertThat(server.isRegistered(shrinks)).isFalse();
    }

    @Test
    void ratesDecayWhenNothingHappens() {
        MeterRates rates = new MeterRates(0);
        rates.tick(300);
        assertThat(rates.oneMinute()).isCloseTo(60.0, within(1e-9));
        for (int i = 0; i < 12; i++) {
            rates.tick(300);
        }
        // A minute without an event: e^-1 of it is left.
        assertThat(rates.oneMinute()).isCloseTo(60.0 / Math.E, within(0.01));
        assertThat(rates.fifteenMinutes()).isGreaterThan(rates.oneMinute());
        assertThat(rates.mean()).isCloseTo(300 / 65.0, within(1e-9));
    }
}
