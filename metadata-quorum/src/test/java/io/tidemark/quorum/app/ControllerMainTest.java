package io.tidemark.quorum.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.quorum.FreePorts;
import io.tidemark.quorum.inspect.StatusProbe;
import io.tidemark.quorum.ratis.RatisProperties;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        int port = FreePorts.next();
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
        Process process = start(properties(FreePorts.next()));
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

    /** Its votes are lost, too: it could help one to the leadership that lacks what it has acknowledged. */
    @ParameterizedTest
    @ValueSource(strings = {"quorum", "quorum/GROUP"})
    void aLostLogIsNotTakenForANewController(String lost) throws Exception {
        int port = FreePorts.next();
        Path properties = properties(port);
        Path data = folder.resolve("data");
        NodeDirectory.format(data, clusterId, 101, false);
        Process first = start(properties);
        assertThat(firstLine(first)).startsWith("TIDEMARK READY");
        first.destroy();
        assertThat(first.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        String group = Uuids.quorumGroup(clusterId).toString();
        Files.move(data.resolve(lost.replace("GROUP", group)), folder.resolve("elsewhere"));

        Process second = start(properties);
        assertThat(second.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(errors(second)).contains("has lost its metadata log");
    }

    /** A limit of the kernel on the size of files stands for a full disk: a write of the log fails. */
    @Test
    void aLogThatCannotBeWrittenEndsTheControllerAndNothingAcknowledgedIsLost() throws Exception {
        int port = FreePorts.next();
        Path properties = properties(port);
        NodeDirectory.format(folder.resolve("data"), clusterId, 101, false);
        Process limited = start(properties, "sh", "-c", "ulimit -f 3000; exec \"$@\"", "sh");
        assertThat(firstLine(limited)).startsWith("TIDEMARK READY");
        awaitBootstrapped(port);

        List<Integer> registered = registerUntilItFails(port);
        assertThat(limited.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(limited.exitValue()).isEqualTo(3);
        assertThat(errors(limited)).contains("this controller stops: the metadata log cannot be written");
        assertThat(registered).isNotEmpty();

        assertThat(firstLine(start(properties))).startsWith("TIDEMARK READY");
        assertThat(awaitImage(port).brokers().keySet()).containsAll(registered);
    }

    /** Registers brokers with long names of their racks; those whose registration was acknowledged. */
    private List<Integer> registerUntilItFails(int port) throws IOException {
        List<Integer> acknowledged = new ArrayList<>();
        try (RaftClient client = RaftClient.newBuilder()
                .setRaftGroup(RatisProperties.group(clusterId, voters(port)))
                .setProperties(RatisProperties.common(QuorumRpc.GRPC))
                .setRetryPolicy(RetryPolicies.noRetry())
                .build()) {
            for (int id = 1; id <= 100; id++) {
                byte[] command = CommandCodec.encode(new QuorumCommand.RegisterBroker(
                        clusterId,
                        id,
                        "incarnation",
                        List.of("directory-" + id),
                        List.of(new Endpoint("PLAINTEXT", "127.0.0.1", 1)),
                        "rack".repeat(25_000),
                        -1,
                        "",
                        false,
                        1,
                        1,
                        List.of()));
                RaftClientReply reply = client.io().send(Message.valueOf(UnsafeByteOperations.unsafeWrap(command)));
                if (CommandCodec.decodeAnswer(reply.getMessage().getContent().toByteArray())
                                .error()
                        == ErrorCode.NONE) {
                    acknowledged.add(id);
                }
            }
        } catch (IOException e) {
            return acknowledged;
        }
        throw new AssertionError("the log never failed, with " + acknowledged + " registered");
    }

    @Test
    void withoutAMajorityAControllerKeepsTryingAndIsNotReady() throws Exception {
        int port = FreePorts.next();
        int otherPort = FreePorts.next();
        String voters = "101@127.0.0.1:" + port + ",102@127.0.0.1:" + otherPort;
        NodeDirectory.format(folder.resolve("data"), clusterId, 101, false);
        Process alone = start(properties(101, voters, "data"));
        CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> {
            try {
                return firstLine(alone);
            } catch (IOException e) {
                return e.toString();
            }
        });
        Awaitility.await("it listens").atMost(PATIENCE_S, TimeUnit.SECONDS).until(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        assertThat(said).as("what it says while it is alone").isNotDone();

        NodeDirectory.format(folder.resolve("other"), clusterId, 102, false);
        Process other = start(properties(102, voters, "other"));
        assertThat(firstLine(other)).isEqualTo("TIDEMARK READY node=102 role=controller");
        assertThat(said.get(PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("TIDEMARK READY node=101 role=controller");
    }

    private static List<QuorumVoter> voters(int port) {
        return List.of(new QuorumVoter(101, "127.0.0.1", port));
    }

    private long awaitBootstrapped(int port) {
        return awaitImage(port).tip();
    }

    private ClusterImage awaitImage(int port) {
        return Awaitility.await()
                .atMost(PATIENCE_S, TimeUnit.SECONDS)
                .until(
                        () -> StatusProbe.ask(voters(port), clusterId, QuorumRpc.GRPC)
                                .get(0),
                        result -> result.answer() != null
                                && result.answer().image().level() > 0)
                .answer()
                .image();
    }

    private Path properties(int port) throws IOException {
        return properties(101, "101@127.0.0.1:" + port, "data");
    }

    private Path properties(int id, String voters, String data) throws IOException {
        return Files.writeString(
                folder.resolve("controller-" + id + ".properties"),
                String.join(
                        "\n",
                        "process.roles=controller",
                        "node.id=" + id,
                        "controller.quorum.voters=" + voters,
                        "metadata.log.dir=" + folder.resolve(data),
                        "health.port=0"));
    }

    private Process start(Path properties, String... before) throws IOException {
        Path errors = folder.resolve("stderr-" + started.size());
        List<String> command = new ArrayList<>(List.of(before));
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ControllerMain.class.getName(),
                properties.toString()));
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
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

    private static String newClusterId() {
        return Uuids.random();
    }
}
