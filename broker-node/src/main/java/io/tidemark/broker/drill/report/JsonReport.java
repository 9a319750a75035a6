package io.tidemark.broker.drill.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.PartitionStateView;
import io.tidemark.broker.drill.report.DrillOutcome.Line;
import io.tidemark.broker.drill.report.DrillOutcome.Partition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** For programs; docs/DRILLS.md names the fields. */
public final class JsonReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonReport() {}

    /** One object. */
    public static String of(DrillOutcome outcome) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("drill", outcome.drill().name());
        root.put("promise", outcome.drill().promise());
        root.put("target", outcome.kafka() ? "kafka" : "tidemark");
        root.put("held", outcome.held());
        root.put("startMs", outcome.startMs());
        root.put("endMs", outcome.endMs());
        root.put("acked", outcome.acked());
        root.put("ackedOne", outcome.ackedOne());
        Map<String, Object> measures = new LinkedHashMap<>();
        outcome.lines().forEach(line -> measures.put(line.measure().key(), measure(outcome, line)));
        root.put("measures", measures);
        root.put("faults", outcome.faults().stream().map(JsonReport::fault).toList());
        root.put(
                "changes",
                outcome.changes().stream()
                        .map(change -> change(outcome, change))
                        .toList());
        Map<String, Object> partitions = new LinkedHashMap<>();
        outcome.partitions().forEach((name, partition) -> partitions.put(name, partition(outcome, partition)));
        root.put("partitions", partitions);
        root.put("problems", outcome.problems());
        root.put("notes", outcome.notes());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> measure(DrillOutcome outcome, Line line) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("value", line.value().orElse(null));
        row.put("expected", line.expected().toString());
        row.put("holds", line.holds());
        row.put("examples", outcome.examples().getOrDefault(line.measure(), List.of()));
        return row;
    }

    private static Map<String, Object> fault(Fault fault) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("startMs", fault.startMs());
        row.put("endMs", fault.endMs());
        row.put("action", fault.action().key());
        row.put("nodes", new TreeSet<>(fault.nodes()));
        row.put("words", fault.words());
        return row;
    }

    private static Map<String, Object> change(DrillOutcome outcome, Change change) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("timeMs", change.timeMs());
        row.put("partition", change.partition().toString());
        row.put("before", state(change.before()));
        row.put("after", state(change.after()));
        row.put("cause", change.kind());
        row.put("words", change.words());
        row.put("explainedBy", outcome.explanation(change).orElse(null));
        return row;
    }

    private static Map<String, Object> state(PartitionStateView state) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("leader", state.leader());
        row.put("leaderEpoch", state.leaderEpoch());
        row.put("replicas", state.replicas());
        row.put("isr", state.isr());
        row.put("elr", state.elr());
        return row;
    }

    private static Map<String, Object> partition(DrillOutcome outcome, Partition partition) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("unavailableMs", partition.availability().gapMs());
        row.put("unavailableFromMs", partition.availability().fromMs());
        row.put("acksPer100Ms", partition.acksPerSlice(outcome.startMs(), outcome.endMs()));
        row.put("highWatermarks", partition.marks());
        return row;
    }
}
