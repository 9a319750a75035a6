package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.report.DrillOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** Compares the replicas in sync of a drill's partitions, and keeps account of what could not be compared. */
final class ReplicaComparison {
    private final IntFunction<Path> directories;
    private final List<String> differences = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /** @param directories of the brokers' data, by id */
    ReplicaComparison(IntFunction<Path> directories) {
        this.directories = directories;
    }

    /**
     * Compares the replicas of one partition.
     *
     * @param readBack all that was in it in the end
     */
    void add(DrillOutcome.Partition partition, List<ReadRecord> readBack) {
        if (partition.changes().isEmpty()) {
            notes.add("Replicas of " + partition.id() + " were not compared: it is not known who they are.");
            return;
        }
        Map<Integer, Path> replicas = new TreeMap<>();
        partition
                .changes()
                .get(partition.changes().size() - 1)
                .after()
                .isr()
                .forEach(broker -> replicas.put(broker, directories.apply(broker)));
        long mark = ReplicaFiles.mark(replicas, partition.id(), readBack);
        if (mark == 0 && partition.ackMs().length > 0) {
            problems.add("replicas of " + partition.id()
                    + " were not compared: records were acknowledged, and nothing tells up to where");
            return;
        }
        differences.addAll(ReplicaFiles.differences(replicas, partition.id(), mark));
    }

    /** How many replicas differ; empty if none does and not all were compared. */
    OptionalLong count() {
        boolean all = notes.isEmpty() && problems.isEmpty();
        return all || !differences.isEmpty() ? OptionalLong.of(differences.size()) : OptionalLong.empty();
    }

    List<String> differences() {
        return List.copyOf(differences);
    }

    /** What was left out for a reason that says nothing of the cluster. */
    List<String> notes() {
        return List.copyOf(notes);
    }

    /** What was left out though there is something to compare. */
    List<String> problems() {
        return List.copyOf(problems);
    }
}
