package io.tidemark.quorum.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.health.DiskSpace;
import io.tidemark.model.health.HttpProbe;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.quorum.FreePorts;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a controller tells over HTTP. */
class ControllerHealthTest {
    /** R9.14. */
    private static final List<String> BEANS = Stream.concat(
                    Stream.of(
                                    "ActiveControllerCount",
                                    "FencedBrokerCount",
                                    "ActiveBrokerCount",
                                    "ControlledShutdownBrokerCount",
                                    "GlobalTopicCount",
                                    "GlobalPartitionCount",
                                    "OfflinePartitionsCount",
                                    "PreferredReplicaImbalanceCount",
                                    "MetadataErrorCount",
                                    "LastAppliedRecordOffset",
                                    "LastCommittedRecordOffset",
                                    "LastAppliedRecordTimestamp",
                                    "LastAppliedRecordLagMs",
                                    "TimedOutBrokerHeartbeatCount",
                                    "EventQueueOperationsStartedCount",
                                    "EventQueueOperationsTimedOutCount",
                                    "NewActiveControllersCount")
                            .map(name -> "kafka.controller:type=KafkaController,name=" + name),
                    Stream.of("UncleanLeaderElectionsPerSec", "ElectionFromEligibleLeaderReplicasPerSec")
                            .map(name -> "kafka.controller:type=ControllerStats,name=" + name))
            .toList();

    private static List<String> beans() throws MalformedObjectNameException {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("kafka.controller:*"), null)
                .stream()
                .map(ObjectName::toString)
                .toList();
    }

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
            assertThat(get(node, "/metrics").body())
                    .contains("kafka_controller_kafkacontroller_preferredreplicaimbalancecount 0\n")
                    .contains("kafka_controller_controllerstats_electionfromeligibleleaderreplicas_total 0\n")
                    .contains("kafka_controller_kafkacontroller_metadataerrorcount 0\n")
                    .contains("kafka_controller_kafkacontroller_eventqueueoperationstimedoutcount 0\n");
            Awaitility.await("it decides on the first entry of its log")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(get(node, "/metrics").body())
                            .containsPattern(
                                    "kafka_controller_kafkacontroller_eventqueueoperationsstartedcount [1-9]"));
            Awaitility.await("MBeans")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(beans()).containsAll(BEANS));
            assertThat(get(node, "/warnings").body())
                    .isEqualTo(
                            DiskSpace.warning(folder).map(line -> line + "\n").orElse(""));
            assertThat(get(node, "/problems").status()).isEqualTo(200);
            Path moved = folder.resolveSibling(folder.getFileName() + "-moved");
            Files.move(folder, moved);
            try {
                assertThat(get(node, "/warnings").body())
                        .startsWith("the volume of " + folder + " cannot be asked for its space: ");
            } finally {
                Files.move(moved, folder);
            }
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
