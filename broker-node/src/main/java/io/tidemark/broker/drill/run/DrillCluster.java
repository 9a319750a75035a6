package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.plan.ClusterPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/**
 * The cluster a drill acts on, through its script: one that the drill has started in a directory of its own, Tidemark or
 * a real Kafka, or one that it was told to take.
 */
final class DrillCluster {
    private final boolean kafka;
    private final boolean own;
    private final List<String> script;
    private final List<String> metadataLog;
    private final Servers servers;
    private final String bootstrap;
    private final TreeSet<Integer> brokers;
    private final TreeSet<Integer> controllers;
    private final TreeMap<Integer, Path> directories = new TreeMap<>();
    private final Surroundings surroundings;

    /**
     * @param own whether the drill has made it
     * @param script its script and options, to which a command is added
     * @param metadataLog the same of the script that reads its metadata log; empty for Kafka
     * @param data where the script keeps its process ids
     * @param surroundings of its nodes
     */
    DrillCluster(
            boolean kafka,
            boolean own,
            List<String> script,
            List<String> metadataLog,
            Path data,
            Collection<Integer> brokers,
            Collection<Integer> controllers,
            Surroundings surroundings) {
        this.kafka = kafka;
        this.own = own;
        this.script = List.copyOf(script);
        this.metadataLog = List.copyOf(metadataLog);
        this.servers = new Servers(data, script);
        this.brokers = new TreeSet<>(brokers);
        this.controllers = new TreeSet<>(controllers);
        this.bootstrap = Tool.output(with(script, "bootstrap")).strip();
        this.surroundings = surroundings;
        for (int node : nodes()) {
            directories.put(
                    node,
                    kafka
                            ? data.resolve("node-" + node)
                            : Path.of(Tool.output(with(script, "directory", Integer.toString(node)))
                                    .strip()));
        }
    }

    boolean isKafka() {
        return kafka;
    }

    /** Whether the drill has made it, and so may do anything to it. */
    boolean isOwn() {
        return own;
    }

    String bootstrap() {
        return bootstrap;
    }

    TreeSet<Integer> brokers() {
        return new TreeSet<>(brokers);
    }

    TreeSet<Integer> controllers() {
        return new TreeSet<>(controllers);
    }

    /** Controllers first: brokers need them. */
    List<Integer> nodes() {
        List<Integer> nodes = new ArrayList<>(controllers);
        nodes.addAll(brokers);
        return nodes;
    }

    boolean isController(int node) {
        return node >= ClusterPlan.FIRST_CONTROLLER;
    }

    Path directory(int node) {
        return directories.get(node);
    }

    boolean runs(int node) {
        return servers.runs(node);
    }

    /** What was made around its nodes. */
    Surroundings surroundings() {
        return surroundings;
    }

    void signal(Collection<Integer> nodes, String name) {
        nodes.forEach(node -> servers.signal(node, name));
    }

    void awaitGone(Collection<Integer> nodes) {
        nodes.forEach(servers::awaitGone);
    }

    /** All of them side by side; returns when all are ready, or those that do not fail, and throws DrillException then. */
    void start(Collection<Integer> nodes) {
        List<CompletableFuture<Void>> starts = nodes.stream()
                .map(node ->
                        CompletableFuture.runAsync(() -> servers.start(node), command -> new Thread(command).start()))
                .toList();
        List<String> failures = new ArrayList<>();
        for (CompletableFuture<Void> start : starts) {
            try {
                start.join();
            } catch (CompletionException e) {
                failures.add(String.valueOf(e.getCause().getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new DrillException(String.join("; ", failures));
        }
    }

    void format() {
        servers.script("format");
    }

    void up() {
        servers.script("up");
    }

    void down() {
        servers.script("down");
    }

    /** Everything in the directory of a stopped node goes, and it is given its identity again. */
    void wipe(int node) {
        if (!own) {
            throw new DrillException("the disk of node " + node + " was not made by this drill");
        }
        emptyDirectory(directory(node));
        if (kafka) {
            servers.script("format", Integer.toString(node));
        } else {
            servers.script("format", "--ignore-formatted");
        }
    }

    private static void emptyDirectory(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(directory)) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the script of the cluster prints. */
    String query(String... command) {
        return Tool.output(with(script, command));
    }

    /** The same of the script that reads the metadata log, whatever its exit status. */
    Tool.Ended metadataLog(String... command) {
        return Tool.run(with(metadataLog, command));
    }

    static List<String> with(List<String> words, String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return all;
    }
}
