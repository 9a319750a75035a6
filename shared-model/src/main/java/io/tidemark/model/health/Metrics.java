package io.tidemark.model.health;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All metrics of a process, read from their sources when asked for. */
public final class Metrics {
    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);

    private final List<MetricSource> sources = new CopyOnWriteArrayList<>();

    public void add(MetricSource source) {
        sources.add(source);
    }

    /** The values now. A source that fails does not keep those of the others away. */
    public List<Metric> read() {
        List<Metric> metrics = new ArrayList<>();
        for (MetricSource source : sources) {
            try {
                source.collect(metrics::add);
            } catch (RuntimeException e) {
                LOG.warn("some metrics cannot be read", e);
            }
        }
        return metrics;
    }
}
