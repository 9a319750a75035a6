package io.tidemark.quorum.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.quorum.inspect.StatusProbe;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller as a process of its own. */
class ControllerMainTest {
    private static final long PATIENCE_S = 60;

    @TempDir
    private Path folder;

    private final String clusterId = newClusterId();
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void killAll() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void aControllerSaysWhenItIsReadyKeepsItsStateOverAKillAndStopsOnSigterm() throws Exception {
        int port = freePort();
        Path properties = properties(port);
        NodeDirectory.format(folder.resolve("data"), clusterId, 101, false);

        Process first = start(properties);
        assertThat(firstLine(first)).isEqualTo("TIDEMARK READY node=101 role=controller");
        long tip = awaitBootstrapped(port);
        first.destroyForcibly();
        assertThat(first.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();

        Process second = start(properties);
        assertThat(firstLine(second)).startsWith("TIDEMARK READY");
        assertThat(awaitBootstrapped(port)).isGreaterThanOrEqualTo(tip);

        Process third = start(properties);
        assertThat(third.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(third.exitValue()).isEqualTo(1);
        assertThat(errors(third)).contains("in use by another process");

        second.destroy();
        assertThat(second.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(errors(second)).doesNotContain("this controller stops");
    }

    @Test
    void aDirectoryThatIsNotFormattedIsRefused() throws Exception {
        Process process = start(properties(freePort()));
        assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(errors(process)).contains("is not formatted");
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        NodeDirectory.format(folder.resolve("data"), clusterId, 101, false);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process process = start(properties(taken.getLocalPort()));
            assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(1);
            assertThat(errors(process)).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void aLostLogIsNotTakenForANewController() throws Exception {
        int port = freePort();
        Path properties = properties(port);
        Path data = folder.resolve("data");
        NodeDirectory.format(data, clusterId, 101, false);
        Process first = start(properties);
        assertThat(firstLine(first)).startsWith("TIDEMARK READY");
        first.destroy();
        assertThat(first.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        Files.move(data.resolve("quorum"), folder.resolve("elsewhere"));

        Process second = start(properties);
        assertThat(second.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(errors(second)).contains("has lost its metadata log");
    }

    private long awaitBootstrapped(int port) {
        List<QuorumVoter> voters = List.of(new QuorumVoter(101, "127.0.0.1", port));
        return Awaitility.await()
                .atMost(PATIENCE_S, TimeUnit.SECONDS)
                .until(
                        () -> StatusProbe.ask(voters, clusterId, QuorumRpc.GRPC).get(0),
                        result -> result.answer() != null
                                && result.answer().image().level() > 0)
                .answer()
                .image()
                .tip();
    }

    private Path properties(int port) throws IOException {
        return Files.writeString(
                folder.resolve("controller.properties"),
                String.join(
                        "\n",
                        "process.roles=controller",
                        "node.id=101",
                        "controller.quorum.voters=101@127.0.0.1:" + port,
                        "metadata.log.dir=" + folder.resolve("data")));
    }

    private Process start(Path properties) throws IOException {
        Path errors = folder.resolve("stderr-" + started.size());
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ControllerMain.class.getName(),
                        properties.toString())
                .redirectError(errors.toFile())
                .start();
        started.add(process);
        return process;
    }

    private String errors(Process process) throws IOException {
        return Files.readString(folder.resolve("stderr-" + started.indexOf(process)));
    }

    /** The log configuration of tests writes to standard output too. */
    private static String firstLine(Process process) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("TIDEMARK")) {
                return line;
            }
        }
        throw new IOException("the process ended without a word");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String newClusterId() {
        return Uuids.random();
    }
}
