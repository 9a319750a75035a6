package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.PartitionStateView;
import io.tidemark.broker.drill.judge.Survival;
import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Step;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;

/**
 * Does the steps of a drill, keeps account of what it has done to whom, and undoes all of it. Before each step it looks
 * whether what the drill promised to keep would survive it.
 */
final class FaultInjector {
    private static final int SETTLE_S = 90;
    private static final byte[] GARBAGE = "damaged by a drill".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private final DrillCluster cluster;
    private final Admins admins;
    private final NodeFinder finder;
    private final Survival survival;
    private final Conditions conditions;
    private final Consumer<String> tell;
    private final Set<Integer> down = new TreeSet<>();
    private final Set<Integer> paused = new TreeSet<>();
    private final Hindrances hindrances;
    private final Set<Integer> full = new TreeSet<>();
    private final Set<Integer> damaged = new TreeSet<>();
    private final Set<Integer> died = new TreeSet<>();
    private final Set<Integer> allDied = new TreeSet<>();
    private final Map<String, Set<Integer>> named = new HashMap<>();
    private final FaultLog faults = new FaultLog();
    private Map<String, PartitionStateView> lastSeen;
    private long lastRepairMs;
    /** Nodes that were down when the drill came: not its business. */
    private final Set<Integer> absent = new TreeSet<>();

    /** Set before the lock is taken: whoever has it looks, and gives it up soon. */
    private volatile boolean closed;

    /** @param tell takes a line about each step */
    FaultInjector(
            DrillCluster cluster, Admins admins, Survival survival, Conditions conditions, Consumer<String> tell) {
        this.cluster = cluster;
        this.admins = admins;
        this.finder = new NodeFinder(cluster, admins);
        this.hindrances = new Hindrances(cluster.surroundings());
        this.survival = survival;
        this.conditions = conditions;
        this.tell = tell;
        cluster.nodes().stream().filter(node -> !cluster.runs(node)).forEach(absent::add);
        admins.lookWhileWaiting(this::stopIfClosed);
    }

    /** Throws DrillException if it cannot be done, or must not be. */
    void run(Step step) {
        if (step.action() == Action.AWAIT) {
            tell.accept(step.words());
            conditions.await(step);
            return;
        }
        doNow(step);
    }

    private synchronized void doNow(Step step) {
        stopIfClosed();
        Set<Integer> nodes = step.node().isEmpty() ? targetsWithout(step) : finder.find(step.node(), named);
        if (!step.as().isEmpty()) {
            named.put(step.as(), nodes);
        }
        check(step, nodes);
        conditions.remember(step);
        if (step.harms() && leavesNobody(nodes)) {
            // Nobody can be asked afterwards, and what comes then may need to know.
            partitions();
        }
        String words = step.words() + (step.node().isEmpty() ? "" : " (" + ids(nodes) + ")");
        tell.accept(words);
        boolean isFault = !step.action().undoes() && step.action() != Action.NOTE;
        if (isFault) {
            faults.begin(step.action(), nodes, about(step), words);
        }
        try {
            act(step, nodes);
        } finally {
            if (isFault && !step.action().lasts()) {
                faults.endLast();
            }
        }
    }

    private void stopIfClosed() {
        if (closed) {
            throw new DrillException("the drill was interrupted");
        }
    }

    private void check(Step step, Set<Integer> nodes) {
        Action action = step.action();
        boolean onDisk = action.destroys() || action == Action.FILL_DISK;
        if (onDisk && !cluster.isOwn()) {
            throw new DrillException(action.key() + " is refused: the disks are not this drill's");
        }
        if (action.destroys() && !down.containsAll(nodes)) {
            throw new DrillException(action.key() + " is refused: " + ids(nodes) + " was not stopped by this drill");
        }
        boolean needsSmallDisk = action == Action.FILL_DISK || action == Action.FREE_DISK;
        if (needsSmallDisk && !nodes.stream().map(cluster::directory).allMatch(Disks::isSmall)) {
            throw new DrillException(
                    action.key() + " is refused: the disk of " + ids(nodes) + " is not a small one of its own");
        }
        if (step.arguments().getOrDefault("from", "").contains("brokers")
                && nodes.stream().anyMatch(cluster.controllers()::contains)) {
            throw new DrillException(step.words() + " is refused: of " + ids(nodes)
                    + " there are controllers, which have no cable to the brokers");
        }
        noteDied();
        survival.refusal(step, nodes, gone(), damaged, this::partitions).ifPresent(reason -> {
            throw new DrillException(step.words() + " is refused: " + reason);
        });
    }

    private boolean leavesNobody(Set<Integer> nodes) {
        Set<Integer> left = cluster.brokers();
        left.removeAll(down);
        left.removeAll(nodes);
        return left.isEmpty();
    }

    /**
     * All partitions of the cluster; null if they are not known. With all brokers stopped nobody can be asked, and nothing
     * changes any more but that leaders are gone: what was seen last stands.
     */
    private Map<String, PartitionStateView> partitions() {
        boolean answers = !down.containsAll(cluster.brokers());
        try {
            Map<String, PartitionStateView> partitions = new TreeMap<>();
            (answers ? admins.insistOnLook(List.of()) : admins.look(List.of()))
                    .forEach((partition, view) -> partitions.put(partition.toString(), state(view)));
            lastSeen = partitions;
            return partitions;
        } catch (DrillException e) {
            return answers ? null : lastSeen;
        }
    }

    static PartitionStateView state(PartitionView view) {
        return new PartitionStateView(
                view.leader(), view.leaderEpoch().orElse(-1), view.replicas(), view.isr(), view.elr());
    }

    private Set<Integer> gone() {
        Set<Integer> gone = new TreeSet<>(down);
        gone.addAll(paused);
        gone.addAll(hindrances.useless());
        gone.addAll(full);
        gone.addAll(died);
        return gone;
    }

    private void act(Step step, Set<Integer> nodes) {
        switch (step.action()) {
            case KILL -> end(nodes, "KILL");
            case STOP -> end(nodes, "TERM");
            case PAUSE -> {
                Set<Integer> running = running(nodes);
                paused.addAll(running);
                cluster.signal(running, "STOP");
            }
            case RESUME -> resume(nodes);
            case START -> start(nodes);
            case RESTART -> {
                end(nodes, "KILL");
                start(nodes);
            }
            case ROLL ->
                nodes.forEach(node -> {
                    stopIfClosed();
                    end(Set.of(node), "TERM");
                    start(Set.of(node));
                    conditions.awaitFullIsr(SETTLE_S, this::stopIfClosed);
                });
            case WIPE ->
                nodes.forEach(node -> {
                    damaged.add(node);
                    cluster.wipe(node);
                });
            case DELETE_FILE -> nodes.forEach(node -> damage(node, step.argument("file"), false));
            case CORRUPT_FILE -> nodes.forEach(node -> damage(node, step.argument("file"), true));
            case FILL_DISK -> {
                full.addAll(nodes);
                nodes.forEach(node -> Disks.fill(cluster.directory(node)));
            }
            case FREE_DISK -> free(nodes);
            case UNPLUG, CUT, IMPAIR, SLOW_DISK, JUMP_CLOCK -> hindrances.hinder(step, nodes);
            case PLUG, RESTORE_DISK, RESTORE_CLOCK -> unhinder(step.action(), nodes);
            case CONFIGURE -> admins.configure(step.argument("topic"), settings(step.argument("set")));
            case REASSIGN -> admins.reassign(partition(step.argument("partition")), replicas(step));
            case ELECT ->
                admins.elect(
                        partition(step.argument("partition")),
                        step.argument("type").equals("unclean") ? ElectionType.UNCLEAN : ElectionType.PREFERRED);
            // What was to be done is done: the nodes have their name.
            case NOTE -> {}
            case AWAIT -> throw new IllegalStateException("not an act");
        }
    }

    /** Those of the nodes that have a process; throws DrillException if none has. */
    private Set<Integer> running(Set<Integer> nodes) {
        Set<Integer> running = new TreeSet<>(nodes);
        running.removeIf(node -> !cluster.runs(node));
        if (running.isEmpty()) {
            throw new DrillException(
                    nodes.size() == 1 ? "node " + ids(nodes) + " does not run" : "none of " + ids(nodes) + " runs");
        }
        return running;
    }

    /** Whoever is gone already stays so. */
    private void end(Set<Integer> targets, String signal) {
        Set<Integer> nodes = running(targets);
        down.addAll(nodes);
        cluster.signal(nodes, signal);
        if (!signal.equals("KILL")) {
            // A process that stands still takes no other signal until it goes on.
            Set<Integer> still = new TreeSet<>(nodes);
            still.retainAll(paused);
            cluster.signal(still, "CONT");
        }
        noLongerPaused(nodes);
        cluster.awaitGone(nodes);
    }

    private void noLongerPaused(Set<Integer> nodes) {
        paused.removeAll(nodes);
        faults.over(nodes, Action.PAUSE);
    }

    private void start(Set<Integer> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        lastRepairMs = System.currentTimeMillis();
        try {
            cluster.start(nodes);
        } finally {
            Set<Integer> up = new TreeSet<>(nodes);
            up.removeIf(node -> !cluster.runs(node));
            down.removeAll(up);
            damaged.removeAll(up);
            died.removeAll(up);
            faults.over(up, Action.KILL, Action.STOP, Action.RESTART, Action.WIPE);
        }
    }

    private void resume(Set<Integer> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        lastRepairMs = System.currentTimeMillis();
        cluster.signal(nodes, "CONT");
        noLongerPaused(nodes);
    }

    private void free(Set<Integer> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        lastRepairMs = System.currentTimeMillis();
        nodes.forEach(node -> Disks.free(cluster.directory(node)));
        full.removeAll(nodes);
        faults.over(nodes, Action.FILL_DISK);
    }

    /** Undoes what hinders running nodes. A clock that is set right again mends nothing. */
    private void unhinder(Action action, Set<Integer> nodes) {
        if (nodes.isEmpty()) {
            return;
        }
        if (action != Action.RESTORE_CLOCK) {
            lastRepairMs = System.currentTimeMillis();
        }
        hindrances.end(action, nodes);
        faults.over(nodes, Hindrances.endedKinds(action));
    }

    private void damage(int node, String file, boolean overwrite) {
        Path path = cluster.directory(node).resolve(file);
        if (!Files.isRegularFile(path)) {
            throw new DrillException("node " + node + " has no file " + file);
        }
        damaged.add(node);
        try {
            if (!overwrite) {
                Files.delete(path);
                return;
            }
            try (RandomAccessFile bytes = new RandomAccessFile(path.toFile(), "rw")) {
                bytes.write(GARBAGE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** No step is done any more, and everything is undone: for a drill that is interrupted. As {@link #heal}. */
    void close() {
        closed = true;
        heal();
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Undoes everything that still stands; returns when all nodes are ready. Whatever cannot be undone keeps nothing else
     * from being undone: DrillException in the end, with all that failed.
     */
    synchronized void heal() {
        List<String> failures = new ArrayList<>();
        attempt(failures, this::noteDied);
        boolean anything = !gone().isEmpty();
        for (Action action : List.of(Action.PLUG, Action.RESTORE_DISK, Action.RESTORE_CLOCK)) {
            Set<Integer> hindered = hindrances.endedBy(action);
            anything = anything || !hindered.isEmpty();
            hindered.forEach(node -> attempt(failures, () -> unhinder(action, Set.of(node))));
        }
        new TreeSet<>(full).forEach(node -> attempt(failures, () -> free(Set.of(node))));
        new TreeSet<>(paused).forEach(node -> attempt(failures, () -> resume(Set.of(node))));
        Set<Integer> stopped = new TreeSet<>(down);
        stopped.addAll(died);
        if (anything) {
            tell.accept("heal" + (stopped.isEmpty() ? "" : ", start " + ids(stopped)));
        }
        // One that was told to end and has not yet would count as started, and then be gone.
        down.forEach(node -> attempt(failures, () -> cluster.awaitGone(Set.of(node))));
        attempt(failures, () -> start(stopped));
        if (!failures.isEmpty()) {
            throw new DrillException("not everything could be undone: " + String.join("; ", failures));
        }
    }

    private static void attempt(List<String> failures, Runnable repair) {
        try {
            repair.run();
        } catch (RuntimeException e) {
            failures.add(String.valueOf(e.getMessage()));
        }
    }

    /** Nodes whose process went without the drill's doing. */
    private void noteDied() {
        for (int node : cluster.nodes()) {
            if (!down.contains(node) && !absent.contains(node) && !cluster.runs(node) && died.add(node)) {
                tell.accept("node " + node + " has ended by itself");
                allDied.add(node);
                noLongerPaused(Set.of(node));
            }
        }
    }

    /** All nodes that ended by themselves at any time, looked for again now. */
    Set<Integer> died() {
        noteDied();
        return new TreeSet<>(allDied);
    }

    /** What was done so far, in order. */
    List<Fault> faults() {
        return faults.all();
    }

    /** Wall clock in ms when the last repair began; 0 if there was none. */
    long lastRepairMs() {
        return lastRepairMs;
    }

    private Set<Integer> targetsWithout(Step step) {
        return step.action() == Action.REASSIGN ? new TreeSet<>(replicas(step)) : Set.of();
    }

    private static String about(Step step) {
        return step.arguments().getOrDefault("partition", step.arguments().getOrDefault("topic", ""));
    }

    private static List<Integer> replicas(Step step) {
        return Arrays.stream(step.argument("to").split(","))
                .map(Integer::valueOf)
                .toList();
    }

    private static Map<String, String> settings(String text) {
        return Arrays.stream(text.split(Step.SETTINGS_DELIMITER))
                .map(entry -> entry.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    static TopicPartition partition(String name) {
        int dash = name.lastIndexOf('-');
        return new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
    }

    private static String ids(Set<Integer> nodes) {
        return nodes.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
