package io.tidemark.broker.drill.judge;

import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Keeps;
import io.tidemark.broker.drill.plan.Step;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Says whether what a drill promised to leave alive would survive a step. Nodes that are down, paused, cut off, full or
 * hindered so much that they can do no useful work count as gone; disks that were emptied or damaged count as gone until their broker is in the ISR again.
 */
public final class Survival {
    private final Keeps keeps;
    private final Set<Integer> controllers;

    /** @param controllers all of the cluster */
    public Survival(Keeps keeps, Collection<Integer> controllers) {
        this.keeps = keeps;
        this.controllers = Set.copyOf(controllers);
    }

    /**
     * Why the step must not be done; empty if it may.
     *
     * @param targets the nodes it would be done to
     * @param gone nodes that do not work already
     * @param damaged nodes whose disk is not as it was
     * @param partitions looks at them, by name, and is only asked where they matter; null if they cannot be looked at
     */
    public Optional<String> refusal(
            Step step,
            Set<Integer> targets,
            Set<Integer> gone,
            Set<Integer> damaged,
            Supplier<Map<String, PartitionStateView>> partitions) {
        if (step.harms()) {
            // Those that roll are down one at a time.
            if (step.action() == Action.ROLL) {
                return targets.stream()
                        .map(target -> harm(Set.of(target), gone, partitions))
                        .flatMap(Optional::stream)
                        .findFirst();
            }
            return harm(targets, gone, partitions);
        }
        return step.action().destroys() ? destruction(targets, damaged, partitions) : Optional.empty();
    }

    private Optional<String> harm(
            Set<Integer> targets, Set<Integer> gone, Supplier<Map<String, PartitionStateView>> partitions) {
        Set<Integer> without = new HashSet<>(gone);
        without.addAll(targets);
        Set<Integer> working = new HashSet<>(controllers);
        working.removeAll(without);
        boolean touchesControllers = targets.stream().anyMatch(controllers::contains);
        if (keeps.controllers() && touchesControllers && working.size() <= controllers.size() / 2) {
            return Optional.of("only " + working.size() + " of " + controllers.size()
                    + " controllers would be left, and the drill keeps a majority");
        }
        if (!keeps.replicas() || controllers.containsAll(targets)) {
            return Optional.empty();
        }
        return oneLeft(partitions, without, "works");
    }

    private Optional<String> destruction(
            Set<Integer> targets, Set<Integer> damaged, Supplier<Map<String, PartitionStateView>> partitions) {
        Set<Integer> without = new HashSet<>(damaged);
        without.addAll(targets);
        Set<Integer> whole = new HashSet<>(controllers);
        whole.removeAll(without);
        if (!keeps.data()) {
            return Optional.empty();
        }
        if (targets.stream().anyMatch(controllers::contains) && whole.size() <= controllers.size() / 2) {
            return Optional.of(
                    "only " + whole.size() + " of " + controllers.size() + " controllers would have their data");
        }
        return controllers.containsAll(targets) ? Optional.empty() : oneLeft(partitions, without, "has its data");
    }

    private static Optional<String> oneLeft(
            Supplier<Map<String, PartitionStateView>> looking, Set<Integer> without, String what) {
        Map<String, PartitionStateView> partitions = looking.get();
        if (partitions == null) {
            return Optional.of("the partitions cannot be looked at, so nobody knows whether a replica of each " + what);
        }
        List<String> lost = partitions.entrySet().stream()
                .filter(entry -> without.containsAll(entry.getValue().isr())
                        && without.containsAll(entry.getValue().elr()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        return lost.isEmpty()
                ? Optional.empty()
                : Optional.of("no replica in ISR or ELR of " + String.join(", ", lost) + " would be left that " + what);
    }
}
