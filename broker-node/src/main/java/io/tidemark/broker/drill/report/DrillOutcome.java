package io.tidemark.broker.drill.report;

import io.tidemark.broker.drill.judge.Availability;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Explanation;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.plan.Bound;
import io.tidemark.broker.drill.plan.Drill;
import io.tidemark.broker.drill.plan.Measure;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Everything that a report shows. Times are of the wall clock, in ms.
 *
 * @param kafka whether it ran on a real Kafka
 * @param startMs the load was under way
 * @param endMs the load ended
 * @param faults in order
 * @param partitions by name
 * @param found what was measured; a measure that is not there could not be taken
 * @param examples of breaches
 * @param problems what kept the drill from being done as it says
 * @param notes what was left out, and why
 * @param acked records acknowledged with acks=all
 * @param ackedOne the same with acks=1
 */
public record DrillOutcome(
        Drill drill,
        boolean kafka,
        long startMs,
        long endMs,
        List<Fault> faults,
        SortedMap<String, Partition> partitions,
        Map<Measure, Long> found,
        Map<Measure, List<String>> examples,
        List<String> problems,
        List<String> notes,
        long acked,
        long ackedOne) {
    /** Width of the columns of acks. */
    public static final long SLICE_MS = 100;

    public DrillOutcome {
        faults = List.copyOf(faults);
        partitions = new TreeMap<>(partitions);
        found = Map.copyOf(found);
        examples = Map.copyOf(examples);
        problems = List.copyOf(problems);
        notes = List.copyOf(notes);
    }

    /**
     * One partition of the drill.
     *
     * @param changes from its creation on
     * @param marks high watermark by time
     * @param ackMs times of acks with acks=all
     */
    public record Partition(
            TopicPartition id,
            List<Change> changes,
            SortedMap<Long, Long> marks,
            long[] ackMs,
            Availability availability) {
        public Partition {
            changes = List.copyOf(changes);
        }

        /** Acks in each slice from {@code startMs} to {@code endMs}. */
        public int[] acksPerSlice(long startMs, long endMs) {
            return Availability.histogram(ackMs, startMs, endMs, SLICE_MS);
        }
    }

    /** A measure beside what it must be. */
    public record Line(Measure measure, Bound expected, Optional<Long> value) {
        /** What was not measured is not known to hold, unless anything does. */
        public boolean holds() {
            return value.map(expected::holds).orElse(expected.equals(Bound.ANY));
        }
    }

    /** All measures in their order. */
    public List<Line> lines() {
        Map<Measure, Bound> expected = new EnumMap<>(drill.expected(kafka));
        return expected.entrySet().stream()
                .map(entry ->
                        new Line(entry.getKey(), entry.getValue(), Optional.ofNullable(found.get(entry.getKey()))))
                .toList();
    }

    /** Whether everything was done and all that was expected holds; a drill without an ack proves nothing. */
    public boolean held() {
        return problems.isEmpty() && acked > 0 && lines().stream().allMatch(Line::holds);
    }

    /**
     * Changes of leader or ISR, in their order: since the topics were made where there is a metadata log, whose times are
     * of controllers' clocks, which a drill may turn; else, seen from here, since the load began.
     */
    public List<Change> changes() {
        return partitions.values().stream()
                .flatMap(partition -> partition.changes().stream())
                .filter(change -> (!kafka || change.timeMs() >= startMs) && Explanation.isNeeded(change))
                .sorted(Comparator.comparingLong(Change::index).thenComparingLong(Change::timeMs))
                .toList();
    }

    /** The fault that accounts for a change; empty if none does. */
    public Optional<String> explanation(Change change) {
        return Explanation.of(change, faults);
    }
}
