package io.tidemark.broker.drill.judge;

import io.tidemark.broker.drill.plan.Action;
import java.util.Set;

/**
 * A step of the drill as it was done.
 *
 * @param startMs wall clock
 * @param endMs wall clock: when it was undone, or over
 * @param nodes that it was done to
 * @param partition that it was about, as TOPIC-PARTITION; of a topic TOPIC; "" for none
 */
public record Fault(Action action, long startMs, long endMs, Set<Integer> nodes, String partition, String words) {
    public Fault {
        nodes = Set.copyOf(nodes);
    }
}
