package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.plan.Action;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What was done to whom, in order, and when each of it was over. Not thread-safe. */
final class FaultLog {
    private final List<Open> faults = new ArrayList<>();

    /** A fault and those of its nodes that are not whole again. */
    private static final class Open {
        private final Action action;
        private final long startMs = System.currentTimeMillis();
        private final Set<Integer> nodes;
        private final Set<Integer> left;
        private final String partition;
        private final String words;
        private long endMs;

        Open(Action action, Set<Integer> nodes, String partition, String words) {
            this.action = action;
            this.nodes = nodes;
            this.left = new HashSet<>(nodes);
            this.partition = partition;
            this.words = words;
        }

        Fault fault() {
            return new Fault(action, startMs, endMs == 0 ? System.currentTimeMillis() : endMs, nodes, partition, words);
        }
    }

    /** @param partition as in {@link Fault} */
    void begin(Action action, Set<Integer> nodes, String partition, String words) {
        faults.add(new Open(action, nodes, partition, words));
    }

    /** The one that began last was over when it was done. */
    void endLast() {
        faults.get(faults.size() - 1).endMs = System.currentTimeMillis();
    }

    /** These nodes are whole again as far as those actions go; a fault is over when all of its nodes are. */
    void over(Set<Integer> nodes, Action... actions) {
        for (Open fault : faults) {
            if (List.of(actions).contains(fault.action) && fault.left.removeAll(nodes) && fault.left.isEmpty()) {
                fault.endMs = System.currentTimeMillis();
            }
        }
    }

    /** What still stands ends now. */
    List<Fault> all() {
        return faults.stream().map(Open::fault).toList();
    }
}
