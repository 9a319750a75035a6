package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Step;
import java.util.Set;
import java.util.TreeSet;

/** What hinders nodes while they run: cables that are pulled or bad, slow disks, clocks that jump; and the end of it. */
final class Hindrances {
    private static final long RIGHT_MS = 0;

    private final Surroundings surroundings;
    private final Set<Integer> cutOff = new TreeSet<>();
    private final Set<Integer> impaired = new TreeSet<>();
    private final Set<Integer> slowed = new TreeSet<>();
    private final Set<Integer> deaf = new TreeSet<>();
    private final Set<Integer> stuck = new TreeSet<>();
    private final Set<Integer> jumped = new TreeSet<>();

    Hindrances(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Nodes that cannot do their work. */
    Set<Integer> useless() {
        Set<Integer> useless = new TreeSet<>(cutOff);
        useless.addAll(deaf);
        useless.addAll(stuck);
        return useless;
    }

    /** All nodes to which something is done that {@code action}, which undoes, would end. */
    Set<Integer> endedBy(Action action) {
        Set<Integer> nodes = new TreeSet<>();
        switch (action) {
            case PLUG -> {
                nodes.addAll(cutOff);
                nodes.addAll(impaired);
            }
            case RESTORE_DISK -> nodes.addAll(slowed);
            case RESTORE_CLOCK -> nodes.addAll(jumped);
            default -> throw new IllegalArgumentException(action.key());
        }
        return nodes;
    }

    /** The account is made first: whatever is half done is undone in the end. */
    void hinder(Step step, Set<Integer> nodes) {
        switch (step.action()) {
            case UNPLUG -> {
                cutOff.addAll(nodes);
                // A cable cannot be pulled for some only.
                if (sparesClients(step)) {
                    impair(step, nodes, Network.Quality.CUT);
                } else {
                    nodes.forEach(node -> surroundings.network().unplug(cable(step), node));
                }
            }
            case CUT -> {
                cutOff.addAll(nodes);
                impair(step, nodes, Network.Quality.CUT);
            }
            case IMPAIR -> {
                impaired.addAll(nodes);
                if (step.harms()) {
                    deaf.addAll(nodes);
                }
                impair(step, nodes, new Network.Quality(step.number("delay"), (int) step.number("loss")));
            }
            case SLOW_DISK -> {
                slowed.addAll(nodes);
                if (step.harms()) {
                    stuck.addAll(nodes);
                }
                nodes.forEach(node -> surroundings.disks().delay(node, step.number("delay")));
            }
            case JUMP_CLOCK -> {
                jumped.addAll(nodes);
                nodes.forEach(node -> surroundings.clocks().jump(node, step.number("by")));
            }
            default -> throw new IllegalArgumentException(step.action().key());
        }
    }

    private void impair(Step step, Set<Integer> nodes, Network.Quality quality) {
        String way = step.arguments().getOrDefault("way", "both");
        nodes.forEach(node -> surroundings
                .network()
                .impair(
                        cable(step),
                        node,
                        way.equals("out") ? Network.Quality.GOOD : quality,
                        way.equals("in") ? Network.Quality.GOOD : quality,
                        sparesClients(step)));
    }

    void end(Action action, Set<Integer> nodes) {
        switch (action) {
            case PLUG -> {
                nodes.forEach(node -> surroundings.network().plug(node));
                cutOff.removeAll(nodes);
                impaired.removeAll(nodes);
                deaf.removeAll(nodes);
            }
            case RESTORE_DISK -> {
                nodes.forEach(node -> surroundings.disks().delay(node, RIGHT_MS));
                slowed.removeAll(nodes);
                stuck.removeAll(nodes);
            }
            case RESTORE_CLOCK -> {
                nodes.forEach(node -> surroundings.clocks().restore(node));
                jumped.removeAll(nodes);
            }
            default -> throw new IllegalArgumentException(action.key());
        }
    }

    /** What {@link #end} with that action ends. */
    static Action[] endedKinds(Action action) {
        return switch (action) {
            case PLUG -> new Action[] {Action.UNPLUG, Action.CUT, Action.IMPAIR};
            case RESTORE_DISK -> new Action[] {Action.SLOW_DISK};
            case RESTORE_CLOCK -> new Action[] {Action.JUMP_CLOCK};
            default -> throw new IllegalArgumentException(action.key());
        };
    }

    private static boolean sparesClients(Step step) {
        return step.argument("from").equals("other-brokers");
    }

    private static Network.Cable cable(Step step) {
        return step.argument("from").equals("controllers") ? Network.Cable.CONTROLLERS : Network.Cable.BROKERS;
    }
}
