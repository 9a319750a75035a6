package io.tidemark.broker.drill.plan;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

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
            expected.put(measure, kafka ? kafkaBounds.getOrDefault(measure, own) : own);
        }
        return expected;
    }

    /** Whether its nodes need networks of their own. */
    public boolean cutsNetworks() {
        return steps.stream().anyMatch(step -> step.action() == Action.UNPLUG);
    }
}
