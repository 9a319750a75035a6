package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.plan.ClusterPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Two switches and a network namespace for each node: every node has a cable to the switch of the controllers, brokers
 * have another one to the switch of brokers and clients. A cable that is pulled loses every packet in both directions
 * and refuses nothing, as a broken network does. A cable that is bad in any other way goes through a program
 * (scripts/drill/wire.py) that delays and loses frames, in each direction as it is told. Linux and root only.
 */
final class Network implements AutoCloseable {
    private static final String CLIENTS_HOST = "250";
    private static final int START_S = 20;

    private final String prefix;
    private final int subnet;
    private final Path programs;
    private final Path directory;
    private final Map<String, Process> wires = new HashMap<>();
    private final Set<String> disturbed = new HashSet<>();

    /**
     * @param prefix of all names of interfaces and namespaces: at most six letters, so that they fit
     * @param subnet third number of the addresses, even: 10.231.subnet and the next one
     * @param programs where the programs that stand beside drills are
     * @param directory for their files
     */
    Network(String prefix, int subnet, Path programs, Path directory) {
        this.prefix = prefix;
        this.subnet = subnet;
        this.programs = programs;
        this.directory = directory;
    }

    /** Which of a node's cables. */
    enum Cable {
        BROKERS("b"),
        CONTROLLERS("c");

        private final String letter;

        Cable(String letter) {
            this.letter = letter;
        }
    }

    /**
     * What a cable does to what goes through it in one direction.
     *
     * @param lossPercent of all frames; 100 is a cut
     */
    record Quality(long delayMs, int lossPercent) {
        static final Quality GOOD = new Quality(0, 0);
        static final Quality CUT = new Quality(0, 100);

        private String argument() {
            return delayMs + "," + lossPercent;
        }
    }

    /** The address a node listens on. */
    String address(int node) {
        return isController(node) ? address(Cable.CONTROLLERS, node) : address(Cable.BROKERS, node);
    }

    /** Throws DrillException if this machine lets nobody do that. */
    void build(Collection<Integer> nodes) {
        for (Cable cable : Cable.values()) {
            ip("link", "add", switchOf(cable), "type", "bridge");
            ip("addr", "add", clients(cable) + "/24", "dev", switchOf(cable));
            ip("link", "set", switchOf(cable), "up");
        }
        for (int node : new TreeSet<>(nodes)) {
            ip("netns", "add", prefix + node);
            ip("-n", prefix + node, "link", "set", "lo", "up");
            plugNew(Cable.CONTROLLERS, node);
            if (!isController(node)) {
                plugNew(Cable.BROKERS, node);
            }
        }
    }

    private void plugNew(Cable cable, int node) {
        String inside = "eth" + cable.letter;
        ip("link", "add", end(cable, node), "type", "veth", "peer", "name", inside, "netns", prefix + node);
        // The host itself must not answer for its address on a cable that is not in the switch.
        ip("link", "set", end(cable, node), "arp", "off", "master", switchOf(cable), "up");
        ip("-n", prefix + node, "addr", "add", address(cable, node) + "/24", "dev", inside);
        ip("-n", prefix + node, "link", "set", inside, "up");
    }

    void unplug(Cable cable, int node) {
        plug(cable, node);
        disturbed.add(end(cable, node));
        ip("link", "set", end(cable, node), "nomaster");
    }

    /**
     * Instead of whatever was done to that cable before.
     *
     * @param in to the node
     * @param out from it
     * @param sparesClients what clients send and get passes as before
     */
    void impair(Cable cable, int node, Quality in, Quality out, boolean sparesClients) {
        plug(cable, node);
        disturbed.add(end(cable, node));
        String outer = end(cable, node) + "x";
        String inner = end(cable, node) + "y";
        ip("link", "add", outer, "type", "veth", "peer", "name", inner);
        ip("link", "set", inner, "arp", "off", "up");
        ip("link", "set", outer, "arp", "off", "up");
        String python = Python.with(
                List.of("socket"), "cables that are bad need Python 3; on Debian: apt-get install -y python3-minimal");
        Path ready = directory.resolve(end(cable, node) + ".ready");
        Path log = directory.resolve(end(cable, node) + ".log");
        try {
            Files.deleteIfExists(ready);
            ip("link", "set", end(cable, node), "nomaster");
            List<String> arguments = new ArrayList<>(
                    List.of("--in", in.argument(), "--out", out.argument(), "--ready", ready.toString()));
            if (sparesClients) {
                arguments.addAll(List.of("--spare", clients(cable)));
            }
            arguments.addAll(List.of(end(cable, node), inner));
            Process wire = Python.start(python, programs.resolve("wire.py"), arguments, log);
            wires.put(end(cable, node), wire);
            Waiting.until("a bad cable", START_S, () -> Files.exists(ready) || !wire.isAlive());
            if (!wire.isAlive()) {
                throw new DrillException("a cable cannot be made bad here: "
                        + Files.readString(log).strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ip("link", "set", outer, "master", switchOf(cable));
    }

    /** All cables of a node are good again. */
    void plug(int node) {
        for (Cable cable : Cable.values()) {
            plug(cable, node);
        }
    }

    private void plug(Cable cable, int node) {
        if (!disturbed.remove(end(cable, node))) {
            return;
        }
        Process wire = wires.remove(end(cable, node));
        if (wire != null) {
            wire.destroyForcibly();
            ip("link", "del", end(cable, node) + "x");
        }
        ip("link", "set", end(cable, node), "master", switchOf(cable));
    }

    /** Words before a command that run it where {@code $node}, a variable of the shell, has its network. */
    String words() {
        return "ip netns exec " + prefix + "$node";
    }

    /** Removes everything; whoever runs a drill by its script need not, for the script does. */
    @Override
    public void close() {
        wires.values().forEach(Process::destroyForcibly);
        for (String line : Tool.output(List.of("ip", "netns", "list")).split("\n")) {
            String name = line.split(" ")[0];
            if (name.matches(prefix + "[0-9]+")) {
                ip("netns", "del", name);
            }
        }
        wires.keySet().forEach(end -> ip("link", "del", end + "x"));
        for (Cable cable : Cable.values()) {
            ip("link", "del", switchOf(cable));
        }
    }

    private static boolean isController(int node) {
        return node >= ClusterPlan.FIRST_CONTROLLER;
    }

    private String switchOf(Cable cable) {
        return prefix + "s" + cable.letter;
    }

    private String end(Cable cable, int node) {
        return prefix + cable.letter + node;
    }

    private String network(Cable cable) {
        return "10.231." + (subnet + cable.ordinal());
    }

    private String clients(Cable cable) {
        return network(cable) + "." + CLIENTS_HOST;
    }

    private String address(Cable cable, int node) {
        return network(cable) + "." + node;
    }

    private static void ip(String... arguments) {
        try {
            Tool.output(DrillCluster.with(List.of("ip"), arguments));
        } catch (DrillException e) {
            throw new DrillException("networks cannot be made or cut here: " + e.getMessage(), e);
        }
    }
}
