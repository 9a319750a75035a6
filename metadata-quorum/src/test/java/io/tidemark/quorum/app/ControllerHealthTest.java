package io.tidemark.quorum.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.health.HttpProbe;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.quorum.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a controller tells over HTTP. */
class ControllerHealthTest {
    private static HttpProbe.Reply get(ControllerNode node, String path) throws InterruptedException {
        return HttpProbe.ask(List.of(new QuorumVoter(101, "127.0.0.1", node.healthPort())), path)
                .get(0);
    }

    @Test
    void anActingControllerIsReadyAndTellsItsMetrics(@TempDir Path folder) throws Exception {
        NodeDirectory.format(folder, Uuids.random(), 101, false);
        ControllerConfig config = ControllerConfig.from(new ConfigReader(
                "test",
                Map.of(
                        "process.roles", "controller",
                        "node.id", "101",
                        "controller.quorum.voters", "101@127.0.0.1:" + FreePorts.next(),
                        "metadata.log.dir", folder.toString(),
                        "health.port", "0")));
        try (NodeDirectory directory = NodeDirectory.open(config.directory(), 101);
                ControllerNode node = ControllerNode.start(config, directory, (what, cause) -> {})) {
            assertThat(get(node, "/livez").status()).isEqualTo(200);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> get(node, "/readyz").status() == 200);
            assertThat(get(node, "/readyz").body())
                    .contains("\"state\":\"acting\"")
                    .contains("\"actingController\":101");
            assertThat(get(node, "/metrics").body())
                    .contains("kafka_controller_kafkacontroller_activecontrollercount 1\n")
                    .contains("kafka_controller_kafkacontroller_globalpartitioncount 0\n")
                    .contains("kafka_controller_kafkacontroller_offlinepartitionscount 0\n")
                    .contains("kafka_controller_kafkacontroller_lastappliedrecordlagms 0\n")
                    .contains("kafka_controller_kafkacontroller_newactivecontrollerscount 1\n")
                    .contains("kafka_controller_controllerstats_uncleanleaderelections_total 0\n");
            assertThat(get(node, "/warnings").body()).isEmpty();
        }
    }

    @Test
    void aMemberThatDoesNotKeepUpIsWarnedOf() {
        long now = 1_000_000;
        assertThat(ControllerHealth.behind(new Member(2, "", 90, now - 100, now - 3_000), 100, now))
                .as("it will be there in a moment")
                .isNull();
        assertThat(ControllerHealth.behind(new Member(2, "", 100, now - 100, now - 60_000), 100, now))
                .as("it has everything")
                .isNull();
        assertThat(ControllerHealth.behind(new Member(2, "", 90, now - 100, now - 12_000), 100, now))
                .isEqualTo("controller 2 is 10 entries behind, last caught up 12 s ago");
        assertThat(ControllerHealth.behind(new Member(2, "", 90, now - 7_000, now - 7_000), 100, now))
                .isEqualTo("controller 2 has not been heard of for 7 s");
        assertThat(ControllerHealth.behind(new Member(2, "", -1, -1, -1), 100, now))
                .contains("not been heard of in this term");
    }
}
