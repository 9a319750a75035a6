package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSource;
import io.tidemark.model.health.Page;
import io.tidemark.model.health.Readiness;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is told of a cluster whose controllers are all gone: what its brokers know. */
class HealthWithoutQuorumTest {
    private static final HealthConfig ANY_PORT = new HealthConfig("127.0.0.1", 0, true);

    private static MetricSource broker(int leaders, int underReplicated) {
        return sink -> {
            sink.gauge(MetricName.of("kafka.server", "ReplicaManager", "LeaderCount"), leaders);
            sink.gauge(MetricName.of("kafka.server", "ReplicaManager", "UnderReplicatedPartitions"), underReplicated);
        };
    }

    /** As a broker tells of it that leads it, or has it as a follower. */
    private static MetricSource partition(int number, int underReplicated, int atMinIsr) {
        return sink -> {
            sink.gauge(of("UnderReplicated", number), underReplicated);
            sink.gauge(of("AtMinIsr", number), atMinIsr);
        };
    }

    private static MetricName of(String name, int partition) {
        return MetricName.of("kafka.cluster", "Partition", name)
                .with("topic", "orders")
                .with("partition", partition);
    }

    @Test
    void theBrokersThatAnswerTellHowTheyStand() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        try (HealthServer one = HealthServer.start(ANY_PORT, "one");
                HealthServer two = HealthServer.start(ANY_PORT, "two")) {
            one.ready(() -> Readiness.of(true, "ready", Map.of()));
            one.add(broker(4, 1));
            one.add("/warnings", query -> Page.Answer.text(200, "orders-0: it is stuck\n"));
            two.add(broker(3, 2));
            one.add(partition(0, 1, 1));
            two.add(partition(0, 0, 0));
            // All its replicas are there, and its min ISR is their number.
            two.add(partition(1, 0, 1));
            two.add(partition(2, 1, 0));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            int status = StatusMain.run(
                    new PrintStream(bytes, true, StandardCharsets.UTF_8),
                    "--health",
                    "--controllers",
                    "101@127.0.0.1:" + nobody,
                    "--cluster-id",
                    Uuids.random(),
                    "--nodes",
                    "101@127.0.0.1:" + nobody + ",1@127.0.0.1:" + one.port() + ",2@127.0.0.1:" + two.port());
            assertThat(status).isEqualTo(1);
            assertThat(bytes.toString(StandardCharsets.UTF_8))
                    .contains("controller 101 (")
                    .contains("there is no acting controller")
                    .contains("node 2 is not ready: {\"ready\":false,\"state\":\"starting\"}")
                    .doesNotContain("node 1 is")
                    .contains("warning: node 1: orders-0: it is stuck")
                    .contains("2 brokers answer: they lead 7 partitions, 3 of them under-replicated, 0 under min ISR,"
                            + " 1 at min ISR; 0 replicas");
        }
    }
}
