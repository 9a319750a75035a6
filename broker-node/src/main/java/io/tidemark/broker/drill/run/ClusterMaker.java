package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.plan.ClusterPlan;
import io.tidemark.broker.drill.plan.Drill;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Makes the cluster that a drill asks for in a directory of its own, or takes one that was named. */
final class ClusterMaker {
    /** Below the range the system takes ports of connections from. */
    private static final int FIRST_PORT = 20_000;

    private static final int LAST_PORT = 29_000;
    private static final int CONTROLLER_PORTS = 10;
    /** The scripts for a real Kafka run this many brokers and controllers. */
    private static final int KAFKA_NODES = 3;

    private final Path scripts;

    /** @param scripts where the operator's scripts are */
    ClusterMaker(Path scripts) {
        this.scripts = scripts;
    }

    /** Formatted and started. Whoever gave {@code work} removes it, and the processes, networks and disks in it. */
    DrillCluster make(Drill drill, boolean kafka, Path work) {
        ClusterPlan plan = drill.cluster();
        Surroundings surroundings = surroundings(drill, work);
        DrillCluster cluster = kafka ? kafka(drill, work, surroundings) : tidemark(drill, work, surroundings);
        drill.slowDisks().forEach(node -> surroundings.disks().mount(node, cluster.directory(node)));
        plan.diskMb().forEach((node, size) -> Disks.mount(cluster.directory(node), size));
        cluster.format();
        cluster.up();
        return cluster;
    }

    private Surroundings surroundings(Drill drill, Path work) {
        Path programs = scripts.resolve("drill");
        Network network = null;
        if (drill.cutsNetworks()) {
            // scripts/drill.sh finds what it has to remove by this name.
            String id = work.getParent().getFileName().toString();
            network = new Network(
                    "td" + id.substring(Math.max(0, id.length() - 4)),
                    2 * ThreadLocalRandom.current().nextInt(100),
                    programs,
                    work);
            network.build(nodes(drill.cluster()));
        }
        return new Surroundings(
                network,
                drill.slowDisks().isEmpty() ? null : new SlowDisks(programs, work),
                drill.jumpsClocks() ? new Clocks(work, nodes(drill.cluster())) : null);
    }

    private DrillCluster tidemark(Drill drill, Path work, Surroundings surroundings) {
        ClusterPlan plan = drill.cluster();
        Path data = work.resolve("cluster");
        Path inventory = work.resolve("cluster.conf");
        List<String> script = new ArrayList<>();
        if (surroundings.launches()) {
            script.addAll(List.of("env", "TIDEMARK_LAUNCHER=" + surroundings.launcher(work)));
        }
        write(inventory, inventory(plan, surroundings));
        script.addAll(words("cluster.sh", inventory, data));
        return new DrillCluster(
                false,
                true,
                script,
                words("metadata-log.sh", inventory, data),
                data,
                brokers(plan),
                controllers(plan),
                surroundings);
    }

    static String inventory(ClusterPlan plan, Surroundings surroundings) {
        int port = freePorts();
        StringBuilder lines = new StringBuilder();
        for (int node : nodes(plan)) {
            boolean controller = node >= ClusterPlan.FIRST_CONTROLLER;
            String role = controller ? "controller" : "broker";
            int own = controller ? port + CONTROLLER_PORTS + node - ClusterPlan.FIRST_CONTROLLER : port + node;
            lines.append(node)
                    .append(' ')
                    .append(role)
                    .append(' ')
                    .append(surroundings.hasNetwork() ? surroundings.network().address(node) : "127.0.0.1")
                    .append(' ')
                    .append(own)
                    .append(' ')
                    .append(role)
                    .append('-')
                    .append(node)
                    .append('\n');
        }
        settings(plan)
                .forEach((role, settings) -> settings.forEach((key, value) -> lines.append("set ")
                        .append(role)
                        .append(' ')
                        .append(key)
                        .append('=')
                        .append(value)
                        .append('\n')));
        return lines.toString();
    }

    /** What any drill has, and what this one says. */
    private static Map<String, Map<String, String>> settings(ClusterPlan plan) {
        String replicas = Integer.toString(Math.min(3, plan.brokers()));
        Map<String, Map<String, String>> settings = new TreeMap<>();
        settings.put(
                "all",
                new LinkedHashMap<>(Map.of(
                        "default.replication.factor",
                        replicas,
                        "min.insync.replicas",
                        plan.brokers() < 3 ? "1" : "2")));
        settings.put(
                "broker",
                new LinkedHashMap<>(Map.of(
                        "offsets.topic.num.partitions", "1",
                        "offsets.topic.replication.factor", replicas,
                        "group.initial.rebalance.delay.ms", "0")));
        settings.put("controller", new LinkedHashMap<>());
        plan.settings().forEach((role, own) -> settings.get(role).putAll(own));
        return settings;
    }

    private DrillCluster kafka(Drill drill, Path work, Surroundings surroundings) {
        ClusterPlan plan = drill.cluster();
        if (plan.brokers() != KAFKA_NODES || plan.controllers() != KAFKA_NODES) {
            throw new DrillException(
                    "a real Kafka is run with three brokers and three controllers; this drill needs others");
        }
        Path data = work.resolve("cluster");
        List<String> script = new ArrayList<>();
        if (surroundings.launches()) {
            script.addAll(List.of("env", "KAFKA_LAUNCHER=" + surroundings.launcher(work)));
        }
        script.addAll(List.of(
                scripts.resolve("kafka-cluster.sh").toString(),
                "--data",
                data.toString(),
                "--port",
                Integer.toString(freePorts())));
        if (surroundings.hasNetwork()) {
            for (int node : nodes(plan)) {
                script.addAll(
                        List.of("--address", node + "=" + surroundings.network().address(node)));
            }
        }
        settings(plan)
                .values()
                .forEach(settings ->
                        settings.forEach((key, value) -> script.addAll(List.of("--set", key + "=" + value))));
        return new DrillCluster(true, true, script, List.of(), data, brokers(plan), controllers(plan), surroundings);
    }

    /**
     * A cluster that runs already.
     *
     * @param data null: where the cluster's script keeps it by default
     */
    DrillCluster take(String clusterId, Path inventory, Path data) {
        Path place = data != null
                ? data
                : scripts.resolveSibling("data")
                        .resolve(inventory.getFileName().toString().replaceAll("\\.conf$", ""));
        List<String> script = words("cluster.sh", inventory, place);
        String found = Tool.output(DrillCluster.with(script, "cluster-id")).strip();
        if (!found.equals(clusterId)) {
            throw new DrillException("the cluster of " + inventory + " is " + found + " and not " + clusterId
                    + ": nothing was done to it");
        }
        TreeMap<Integer, String> controllers = new TreeMap<>();
        for (String voter :
                Tool.output(DrillCluster.with(script, "controllers")).strip().split(",")) {
            controllers.put(Integer.valueOf(voter.substring(0, voter.indexOf('@'))), voter);
        }
        List<Integer> brokers = new ArrayList<>();
        for (String line : lines(inventory)) {
            String[] words = line.strip().split("\\s+");
            if (words.length == 5 && words[1].equals("broker")) {
                brokers.add(Integer.valueOf(words[0]));
            }
        }
        Servers servers = new Servers(place, script);
        TreeSet<Integer> absent = new TreeSet<>(controllers.keySet());
        absent.addAll(brokers);
        absent.removeIf(servers::runs);
        if (!absent.isEmpty()) {
            throw new DrillException("of the cluster's nodes " + absent + " do not run on this machine: a drill acts on"
                    + " processes of this machine, and begins with all of them. Nothing was done");
        }
        DrillCluster cluster = new DrillCluster(
                false,
                false,
                script,
                words("metadata-log.sh", inventory, place),
                place,
                brokers,
                controllers.keySet(),
                Surroundings.NONE);
        try (Admins admins = new Admins(cluster.bootstrap())) {
            String answered = admins.clusterId();
            if (!answered.equals(clusterId)) {
                throw new DrillException("the cluster that answers is " + answered + " and not " + clusterId);
            }
            if (!admins.look(List.of()).values().stream()
                    .allMatch(io.tidemark.broker.drill.PartitionView::isFullyInSync)) {
                throw new DrillException(
                        "not all replicas of the cluster are in sync: a drill begins with a whole one");
            }
        }
        return cluster;
    }

    private List<String> words(String script, Path inventory, Path data) {
        return List.of(
                scripts.resolve(script).toString(), "--inventory", inventory.toString(), "--data", data.toString());
    }

    private static List<Integer> brokers(ClusterPlan plan) {
        return IntStream.rangeClosed(1, plan.brokers()).boxed().toList();
    }

    private static List<Integer> controllers(ClusterPlan plan) {
        return IntStream.range(ClusterPlan.FIRST_CONTROLLER, ClusterPlan.FIRST_CONTROLLER + plan.controllers())
                .boxed()
                .toList();
    }

    private static List<Integer> nodes(ClusterPlan plan) {
        List<Integer> nodes = new ArrayList<>(controllers(plan));
        nodes.addAll(brokers(plan));
        return nodes;
    }

    /** The first of twenty ports that nobody listens on. */
    private static int freePorts() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(FIRST_PORT / 20, LAST_PORT / 20) * 20;
            if (IntStream.range(first, first + 20).allMatch(ClusterMaker::isFree)) {
                return first;
            }
        }
        throw new DrillException("no free ports from " + FIRST_PORT + " to " + LAST_PORT);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
