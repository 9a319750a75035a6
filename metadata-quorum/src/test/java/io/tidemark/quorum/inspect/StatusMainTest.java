package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.Page;
import io.tidemark.model.health.Readiness;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.quorum.ratis.HarnessClient;
import io.tidemark.quorum.ratis.QuorumHarness;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status tool against a real quorum. */
class StatusMainTest {
    @TempDir
    private Path folder;

    private record Run(int exit, String output) {}

    @Test
    void tellsWhatIsThereAndWhatIsWrong() throws Exception {
        try (QuorumHarness quorum = QuorumHarness.withCore(folder, 3, 3_600_000);
                HarnessClient client = new HarnessClient(quorum);
                ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            int leader = quorum.leader().nodeId();
            quorum.converged();
            Run empty = run(quorum, "--health");
            assertThat(empty.exit()).isEqualTo(1);
            assertThat(empty.output())
                    .startsWith("no broker is registered" + System.lineSeparator()
                            + "3 controllers, 0 brokers, 0 partitions");

            long epoch = register(quorum, client, listener.getLocalPort());
            assertThat(run(quorum, "--health").output()).contains("broker 1 is fenced");
            Awaitility.await()
                    .atMost(60, TimeUnit.SECONDS)
                    .until(() -> !client.heartbeat(new Heartbeat(1, epoch, epoch, false, false))
                            .fenced());
            client.submit(new QuorumCommand.CreateTopics(
                    List.of(new QuorumCommand.NewTopic("orders", 2, 1, List.of(), Map.of())), false, "me"));
            quorum.converged();
            assertThat(run(quorum, "--health"))
                    .isEqualTo(new Run(0, "healthy: 3 controllers, 1 brokers, 2 partitions" + System.lineSeparator()));
            stuckBroker(quorum);
            assertThat(run(quorum).output())
                    .contains(
                            "leader",
                            "follower",
                            "127.0.0.1:" + listener.getLocalPort(),
                            "1 topics, 2 partitions; 0 under-replicated");
            assertThat(run(quorum, "--json").output())
                    .contains("\"healthy\":true", "\"leader\":" + leader, "\"partitions\":2", "\"offline\":[]");
            assertThat(run(quorum, "--partitions", "orders").output())
                    .contains("orders-0 leader=1 LE=0", "orders-1 leader=1");

            Run only = run(quorum, "--safe-to-stop", "1");
            assertThat(only.exit()).as(only.output()).isEqualTo(1);
            assertThat(only.output()).contains("UNSAFE orders-0", "it has no other replica");
            Run oneOfThree = run(quorum, "--safe-to-stop", Integer.toString(leader));
            assertThat(oneOfThree.exit()).as(oneOfThree.output()).isZero();
            assertThat(oneOfThree.output()).contains("is safe to stop", "acts: another one takes over");

            listener.close();
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> {
                client.heartbeat(new Heartbeat(1, epoch, epoch, false, false));
                return run(quorum).output().contains("broker 1 refuses connections while its heartbeats arrive");
            });
            assertThat(run(quorum, "--json").output()).contains("\"fastPathOff\":\"refuses connections");

            quorum.kill(leader);
            quorum.leader();
            Run broken = run(quorum, "--health");
            assertThat(broken.exit()).isEqualTo(1);
            assertThat(broken.output()).contains("controller " + leader + " (").doesNotContain("no acting controller");
            assertThat(run(quorum).output()).contains("unreachable");
            assertThat(run(
                                    quorum,
                                    "--safe-to-stop",
                                    Integer.toString(quorum.leader().nodeId()))
                            .exit())
                    .as("two of three are left")
                    .isEqualTo(1);
            assertThat(quorum.failures()).isEmpty();
        }
    }

    /** It heartbeats and says that it is ready, and one of its loops does not turn. */
    private static void stuckBroker(QuorumHarness quorum) throws Exception {
        try (HealthServer broker = HealthServer.start(new HealthConfig("127.0.0.1", 0, false), "broker")) {
            broker.ready(() -> Readiness.of(true, "ready", Map.of()));
            String nodes = "1@127.0.0.1:" + broker.port();
            assertThat(run(quorum, "--health", "--nodes", nodes).exit()).isZero();
            broker.add("/livez", query -> Page.Answer.json(503, Map.of("alive", false)));
            Run stuck = run(quorum, "--health", "--nodes", nodes);
            assertThat(stuck.exit()).isEqualTo(1);
            assertThat(stuck.output()).startsWith("node 1 is not alive: {\"alive\":false}");
        }
    }

    @Test
    void saysWhatArgumentsItNeeds() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertThat(StatusMain.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), "--controllers", "x"))
                .isEqualTo(2);
    }

    private static Run run(QuorumHarness quorum, String... options) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String controllers = quorum.voters().stream().map(QuorumVoter::toString).collect(Collectors.joining(","));
        String[] arguments = new String[options.length + 4];
        arguments[0] = "--controllers";
        arguments[1] = controllers;
        arguments[2] = "--cluster-id";
        arguments[3] = quorum.clusterId();
        System.arraycopy(options, 0, arguments, 4, options.length);
        int exit = StatusMain.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), arguments);
        return new Run(exit, bytes.toString(StandardCharsets.UTF_8));
    }

    private static long register(QuorumHarness quorum, HarnessClient client, int port) throws Exception {
        return client.submit(new QuorumCommand.RegisterBroker(
                        quorum.clusterId(),
                        1,
                        "incarnation",
                        List.of("directory"),
                        List.of(new Endpoint("PLAINTEXT", "127.0.0.1", port)),
                        "",
                        -1,
                        "",
                        false,
                        1,
                        1,
                        List.of()))
                .brokerEpoch();
    }
}
