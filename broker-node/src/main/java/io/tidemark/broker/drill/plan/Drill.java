package io.tidemark.broker.drill.plan;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * One drill, as its file describes it.
 *
 * @param promise what must hold, in a sentence
 * @param lengthMs the load goes on for at least so long
 * @param bounds what each measure must be within
 * @param kafkaBounds the same when the drill runs on a real Kafka
 */
public record Drill(
        String name,
        String promise,
        ClusterPlan cluster,
        WorkloadPlan workload,
        Keeps keeps,
        List<Step> steps,
        long lengthMs,
        Map<Measure, Bound> bounds,
        Map<Measure, Bound> kafkaBounds) {
    public Drill {
        steps = List.copyOf(steps);
        bounds = Map.copyOf(bounds);
        kafkaBounds = Map.copyOf(kafkaBounds);
    }

    /** What is expected on that target: of the file, else what usually holds. */
    public Map<Measure, Bound> expected(boolean kafka) {
        Map<Measure, Bound> expected = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            Bound own = bounds.getOrDefault(measure, measure.usual());
            if (kafka && measure == Measure.METADATA_DIFFERS) {
                // Nothing reads Kafka's metadata log.
                own = Bound.ANY;
            }
            expected.put(measure, kafka ? kafkaBounds.getOrDefault(measure, own) : own);
        }
        return expected;
    }

    /** Whether its nodes need networks of their own. */
    public boolean cutsNetworks() {
        return steps.stream().map(Step::action).anyMatch(Set.of(Action.UNPLUG, Action.CUT, Action.IMPAIR)::contains);
    }

    /** Whether its nodes need wall clocks of their own. */
    public boolean jumpsClocks() {
        return steps.stream().anyMatch(step -> step.action() == Action.JUMP_CLOCK);
    }

    /** The nodes whose disks have to be such that they can be slowed: those that are named, or any broker. */
    public Set<Integer> slowDisks() {
        List<String> words = steps.stream()
                .filter(step -> step.action() == Action.SLOW_DISK)
                .map(Step::node)
                .toList();
        Set<Integer> nodes = new TreeSet<>();
        words.stream()
                .filter(word -> word.matches("[0-9]+"))
                .map(Integer::valueOf)
                .forEach(nodes::add);
        if (nodes.size() < new TreeSet<>(words).size()) {
            IntStream.rangeClosed(1, cluster.brokers()).forEach(nodes::add);
        }
        return nodes;
    }
}
