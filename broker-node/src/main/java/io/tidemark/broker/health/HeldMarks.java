package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.replica.Explanation.Hold;
import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSink;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What holds the high watermarks that a broker leads, and what changes of ISRs are pending, in numbers (B11). */
final class HeldMarks {
    private static final List<String> HOLDERS = List.of("member", "joiner", "below-min-isr", "reported");

    private HeldMarks() {}

    static void put(List<PartitionFigures> all, MetricSink sink) {
        Map<String, Integer> held = new LinkedHashMap<>();
        HOLDERS.forEach(holder -> held.put(holder, 0));
        long longest = 0;
        int pending = 0;
        long oldest = 0;
        for (PartitionFigures partition : all) {
            Explanation.Leadership why = partition.why();
            if (why == null) {
                continue;
            }
            if (why.mark().hold() != Hold.NOTHING) {
                held.merge(holder(why), 1, Integer::sum);
                longest = Math.max(longest, why.mark().standsForMs());
            }
            if (why.pending() != null) {
                pending++;
                oldest = Math.max(oldest, why.pending().ageMs());
            }
        }
        held.forEach((by, count) -> sink.gauge(name("HeldHighWatermarks").with("by", by), count));
        sink.gauge(name("LongestHeldHighWatermarkMs"), longest);
        sink.gauge(name("PendingIsrChanges"), pending);
        sink.gauge(name("OldestPendingIsrChangeMs"), oldest);
    }

    private static MetricName name(String name) {
        return MetricName.of("tidemark.server", "Replication", name);
    }

    /** A member of the ISR, if one is among those that hold it. */
    private static String holder(Explanation.Leadership why) {
        if (why.mark().hold() != Hold.FOLLOWER) {
            return ExplanationJson.word(why.mark().hold());
        }
        boolean member = why.followers().stream()
                .anyMatch(follower -> follower.inIsr() && why.mark().holders().contains(follower.broker()));
        return member ? "member" : "joiner";
    }
}
