package io.tidemark.model.health;

/** Takes the values of metrics. */
public interface MetricSink {
    void put(Metric metric);

    /** A value that goes up and down. */
    default void gauge(MetricName name, long value) {
        put(new Metric(name, value, false));
    }

    default void gauge(MetricName name, double value) {
        put(new Metric(name, value, false));
    }

    /** How often something has happened since the process started; its name ends in {@code PerSec}. */
    default void count(MetricName name, long value) {
        put(new Metric(name, value, true));
    }
}
