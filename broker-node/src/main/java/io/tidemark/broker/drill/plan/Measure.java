package io.tidemark.broker.drill.plan;

import java.util.Optional;

/** What a drill counts or measures in the end, and what must hold if its file does not say otherwise. */
public enum Measure {
    LOST("lost", Bound.exactly(0), "acknowledged with acks=all, and nowhere in the log"),
    WRONG_OFFSET("wrong-offset", Bound.exactly(0), "acknowledged with acks=all at an offset where it is not"),
    DUPLICATED("duplicated", Bound.exactly(0), "records of idempotent producers that are there more than once"),
    REORDERED("reordered", Bound.exactly(0), "records of idempotent producers behind one that was sent later"),
    VANISHED("vanished", Bound.exactly(0), "records that a consumer has read and that are not there any more"),
    UNSEEN("unseen", Bound.exactly(0), "records in the log that a consumer or group was never given"),
    ACKS_ONE_LOST("acks-one-lost", Bound.ANY, "acknowledged with acks=1, and not there: that is what acks=1 allows"),
    REPEATED("repeated", Bound.ANY, "records of other producers that are there more than once: retries do that"),
    DIED("died", Bound.exactly(0), "nodes whose process ended by itself"),
    GIVEN_UP("given-up", Bound.ANY, "records whose producer was told that they failed"),
    REPLICAS_DIFFER("replicas-differ", Bound.exactly(0), "replicas that differ below the high watermark"),
    METADATA_DIFFERS("metadata-differs", Bound.exactly(0), "1 unless the controllers' logs are sound and agree"),
    UNEXPLAINED("unexplained", Bound.exactly(0), "changes of leader or ISR that no fault accounts for"),
    CHANGES("changes", Bound.ANY, "changes of leader or ISR since the topics were made"),
    UNAVAILABLE_MS("unavailable-ms", Bound.ANY, "longest time from one ack to the next (acks=all), any partition"),
    FULL_ISR_MS("full-isr-ms", Bound.ANY, "from the last repair until all replicas were in sync");

    private final String key;
    private final Bound usual;
    private final String meaning;

    Measure(String key, Bound usual, String meaning) {
        this.key = key;
        this.usual = usual;
        this.meaning = meaning;
    }

    /** As in files and reports. */
    public String key() {
        return key;
    }

    /** What holds for a drill that says nothing of it. */
    public Bound usual() {
        return usual;
    }

    /** In words. */
    public String meaning() {
        return meaning;
    }

    static Optional<Measure> of(String key) {
        for (Measure measure : values()) {
            if (measure.key.equals(key)) {
                return Optional.of(measure);
            }
        }
        return Optional.empty();
    }
}
