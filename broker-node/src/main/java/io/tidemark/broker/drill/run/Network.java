package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.plan.ClusterPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Two switches and a network namespace for each node: every node has a cable to the switch of the controllers, brokers
 * have another one to the switch of brokers and clients. A cable that is pulled loses every packet in both directions
 * and refuses nothing, as a broken network does. Linux and root only.
 */
final class Network {
    private static final String CLIENTS_HOST = "250";

    private final String prefix;
    private final int subnet;

    /**
     * @param prefix of all names of interfaces and namespaces: at most six letters, so that they fit
     * @param subnet third number of the addresses, even: 10.231.subnet and the next one
     */
    Network(String prefix, int subnet) {
        this.prefix = prefix;
        this.subnet = subnet;
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

    /** The address a node listens on. */
    String address(int node) {
        return isController(node) ? address(Cable.CONTROLLERS, node) : address(Cable.BROKERS, node);
    }

    /** Throws DrillException if this machine lets nobody do that. */
    void build(Collection<Integer> nodes) {
        for (Cable cable : Cable.values()) {
            ip("link", "add", switchOf(cable), "type", "bridge");
            ip("addr", "add", network(cable) + "." + CLIENTS_HOST + "/24", "dev", switchOf(cable));
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
        ip("link", "set", end(cable, node), "master", switchOf(cable), "up");
        ip("-n", prefix + node, "addr", "add", address(cable, node) + "/24", "dev", inside);
        ip("-n", prefix + node, "link", "set", inside, "up");
    }

    void unplug(Cable cable, int node) {
        ip("link", "set", end(cable, node), "nomaster");
    }

    void plug(Cable cable, int node) {
        ip("link", "set", end(cable, node), "master", switchOf(cable));
    }

    /** A script that runs a command, its arguments from the second on, where the node, its first, has its network. */
    Path launcher(Path directory) {
        try {
            Path script = directory.resolve("enter-node.sh");
            Files.writeString(script, "#!/bin/sh\nnode=$1\nshift\nexec ip netns exec " + prefix + "$node \"$@\"\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
            return script;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
