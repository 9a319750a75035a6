package io.tidemark.model.health;

/** Something that has metrics. */
public interface MetricSource {
    /** Puts all of them; may be called by any thread, and takes milliseconds at most. */
    void collect(MetricSink sink);
}
