package io.tidemark.model.health;

/**
 * The value of one metric at one moment.
 *
 * @param counts whether it only ever goes up, so that its rate means something
 */
public record Metric(MetricName name, Number value, boolean counts) {}
