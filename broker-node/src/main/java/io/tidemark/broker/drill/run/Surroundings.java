package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** What a drill has made around the nodes of its cluster so that it can be disturbed: only what the drill needs. */
final class Surroundings {
    /** A cluster that runs like any other. */
    static final Surroundings NONE = new Surroundings(null, null, null);

    private final Network network;
    private final SlowDisks disks;
    private final Clocks clocks;

    /** Any of them null for what there is not. */
    Surroundings(Network network, SlowDisks disks, Clocks clocks) {
        this.network = network;
        this.disks = disks;
        this.clocks = clocks;
    }

    boolean hasNetwork() {
        return network != null;
    }

    Network network() {
        return need(network, "networks");
    }

    SlowDisks disks() {
        return need(disks, "disks that can be slowed");
    }

    Clocks clocks() {
        return need(clocks, "clocks");
    }

    private static <T> T need(T what, String name) {
        if (what == null) {
            throw new DrillException("the nodes of this cluster have no " + name + " of their own");
        }
        return what;
    }

    /** Whether nodes have to be started through {@link #launcher}. */
    boolean launches() {
        return network != null || clocks != null;
    }

    /** A script that runs a command, its arguments from the second on, as the node, its first, has to run. */
    Path launcher(Path directory) {
        try {
            Path script = directory.resolve("enter-node.sh");
            String words =
                    (network == null ? "" : network.words() + " ") + (clocks == null ? "" : clocks.words() + " ");
            Files.writeString(script, "#!/bin/sh\nnode=$1\nshift\nexec " + words + "\"$@\"\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
            return script;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
