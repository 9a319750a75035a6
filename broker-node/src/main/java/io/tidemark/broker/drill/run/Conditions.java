package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Step;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;

/** What a step can wait for. */
final class Conditions {
    private static final long USUAL_LIMIT_MS = 60_000;
    /** Acks that say that a partition serves again. */
    private static final int SOME_ACKS = 20;

    private final String bootstrap;
    private final Admins admins;
    private final Load load;
    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, Integer> leadersBefore = new HashMap<>();
    private final Map<TopicPartition, Set<Integer>> targets = new HashMap<>();

    Conditions(String bootstrap, Admins admins, Load load, List<TopicPartition> partitions) {
        this.bootstrap = bootstrap;
        this.admins = admins;
        this.load = load;
        this.partitions = List.copyOf(partitions);
    }

    /** Who leads before a step is done to them, and where a reassignment goes. */
    void remember(Step step) {
        if (step.action() == Action.REASSIGN) {
            targets.put(
                    FaultInjector.partition(step.argument("partition")),
                    new HashSet<>(Arrays.stream(step.argument("to").split(","))
                            .map(Integer::valueOf)
                            .toList()));
        }
        if (step.harms() || step.action() == Action.ELECT) {
            rememberLeaders();
        }
    }

    /** Who leads now is no new leader. */
    void rememberLeaders() {
        try {
            admins.glance(topics()).forEach((partition, view) -> leadersBefore.put(partition, view.leader()));
        } catch (DrillException e) {
            // Nobody answers at once: what was known before stands.
        }
    }

    /** Throws DrillException if it does not come to be. */
    void await(Step step) {
        double limitS = Long.parseLong(step.arguments().getOrDefault("within", "" + USUAL_LIMIT_MS)) / 1000.0;
        Waiting.until(step.words(), limitS, condition(step));
    }

    private BooleanSupplier condition(Step step) {
        TopicPartition partition =
                step.arguments().containsKey("partition") ? FaultInjector.partition(step.argument("partition")) : null;
        return switch (step.argument("until")) {
            case "full-isr" -> this::isFull;
            case "acks" -> acks();
            case "no-leader" -> () -> looks(partition, view -> view.leader() < 0);
            case "new-leader" ->
                () -> looks(
                        partition,
                        view -> view.leader() >= 0 && view.leader() != leadersBefore.getOrDefault(partition, -1));
            case "isr-size" ->
                () -> looks(partition, view -> view.isr().size() == Integer.parseInt(step.argument("size")));
            case "moved" ->
                () -> looks(partition, view -> new HashSet<>(view.replicas()).equals(targets.get(partition)))
                        && !admins.moves(partition);
            default -> throw new IllegalStateException(step.words());
        };
    }

    /** Some acks of every partition, counted from now. */
    BooleanSupplier acks() {
        Map<TopicPartition, Long> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, load.promised(partition) + SOME_ACKS));
        return () -> partitions.stream()
                .allMatch(partition -> load.promised(partition) >= wanted.get(partition) || !load.writes(partition));
    }

    /** @param check throws if there is no use in waiting any more */
    void awaitFullIsr(int seconds, Runnable check) {
        Waiting.until("all replicas in sync", seconds, () -> {
            check.run();
            return isFull();
        });
    }

    /** The same as each broker by itself sees it, with the same leaders. */
    void awaitAgreedFullIsr(int seconds) {
        Waiting.until("all brokers to tell that all replicas are in sync", seconds, () -> isFull() && isAgreed());
    }

    private boolean isAgreed() {
        try {
            return EachBroker.tellsFullIsr(bootstrap, topics());
        } catch (DrillException e) {
            return false;
        }
    }

    /** Of the drill's own partitions. */
    boolean isFull() {
        try {
            return admins.look(topics()).values().stream().allMatch(PartitionView::isFullyInSync);
        } catch (DrillException e) {
            return false;
        }
    }

    private boolean looks(TopicPartition partition, java.util.function.Predicate<PartitionView> wanted) {
        try {
            return wanted.test(admins.look(partition));
        } catch (DrillException e) {
            // A broker that is just going away; another one is asked next.
            return false;
        }
    }

    private List<String> topics() {
        return partitions.stream().map(TopicPartition::topic).distinct().toList();
    }
}
