package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which process is a node's. */
class ServersTest {
    @TempDir
    Path data;

    private final List<Process> started = new ArrayList<>();
    private Servers servers;

    @BeforeEach
    void directories() throws IOException {
        Files.createDirectories(data.resolve("run"));
        Files.createDirectories(data.resolve("config"));
        Files.writeString(data.resolve("config/node-1.properties"), "node.id=1\n");
        servers = new Servers(data, List.of("true"));
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aNodeIsSignalledUntilItIsGone() throws IOException {
        Process node = process(1, data.resolve("config/node-1.properties"));
        assertThat(servers.runs(1)).isTrue();
        servers.signal(1, "STOP");
        assertThat(servers.runs(1)).as("paused").isTrue();
        servers.signal(1, "KILL");
        servers.awaitGone(1);
        assertThat(servers.runs(1)).isFalse();
        await().until(() -> !node.isAlive());
    }

    @Test
    void itIsTheSameNodeByAnotherNameOfItsDirectory() throws IOException {
        Path link = Files.createSymbolicLink(data.resolve("link"), data);
        process(1, link.resolve("config/node-1.properties"));
        assertThat(servers.runs(1)).isTrue();
    }

    @Test
    void aProcessThatHasTheNodesOldNumberIsLeftAlone() throws IOException {
        Process other = process(1, data.resolve("config/node-11.properties"));
        assertThat(servers.runs(1)).isFalse();
        assertThatThrownBy(() -> servers.signal(1, "KILL")).isInstanceOf(DrillException.class);
        servers.awaitGone(1);
        Files.writeString(data.resolve("run/node-1.pid"), "");
        assertThat(servers.runs(1)).isFalse();
        assertThat(other.isAlive()).isTrue();
    }

    @Test
    void whereNoneWasEverStartedNoneRuns() throws IOException {
        Files.delete(data.resolve("run"));
        assertThat(servers.runs(1)).isFalse();
    }

    private Process process(int node, Path properties) throws IOException {
        Process process =
                new ProcessBuilder("sh", "-c", "while :; do sleep 1; done", "node", properties.toString()).start();
        started.add(process);
        Files.writeString(data.resolve("run/node-" + node + ".pid"), process.pid() + "\n");
        // Until it has become the shell it is a copy of this process.
        await().until(() -> process.info().command().orElse("").endsWith("sh"));
        return process;
    }
}
