package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.ratis.HarnessClient;
import io.tidemark.quorum.ratis.QuorumHarness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Brokers whose controllers were made anew from an image. */
class LostMajorityTest {
    @TempDir
    private Path root;

    @Test
    void brokersThatWereToldNoMoreThanTheImageGoOnAndComeBack() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 3, 3, 2_000, Map.of())) {
            GroupClients.createTopic(cluster, "orders", 1, 3);
            GroupClients.produce(cluster, "orders", 1, 0, 10);
            cluster.stop(3);
            Path image = saved(cluster);
            cluster.quorum().beginAnew(image);
            // Two of them never stopped, the third is started under the new controllers.
            cluster.start(3);
            cluster.awaitIsr("orders", 0, 3);
            GroupClients.produce(cluster, "orders", 1, 10, 20);
            cluster.stop(1);
            cluster.start(1);
            cluster.awaitIsr("orders", 0, 3);
            everyRecordIsThere(cluster);
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    private static void everyRecordIsThere(BrokerCluster cluster) {
        Set<String> read = new HashSet<>();
        try (KafkaConsumer<String, String> consumer = GroupClients.consumer(cluster, "classic", "g", "earliest")) {
            consumer.assign(List.of(new TopicPartition("orders", 0)));
            Awaitility.await("all records").atMost(BrokerCluster.PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> read.add(record.value()));
                return read.size() >= 20;
            });
        }
        assertThat(read).hasSize(20);
    }

    /** The state of a controller that has all that the brokers were told. */
    private Path saved(BrokerCluster cluster) {
        Awaitility.await("a controller that has what the brokers have")
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.quorum().server(102).image().index()
                        >= cluster.image().index());
        return cluster.quorum().export(102, root.resolve("saved"));
    }

    /** Whether the controllers' log has grown past what the brokers were told before they meet. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void controllersThatBeginWithNothingMakeNoBrokerDeleteItsData(boolean grown) throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 3, 2, 2_000, Map.of())) {
            for (int i = 0; i < 10; i++) {
                GroupClients.createTopic(cluster, "kept" + i, 1, 2);
            }
            Awaitility.await("both have the last one")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> Files.isDirectory(cluster.directory(1).resolve("kept9-0"))
                            && Files.isDirectory(cluster.directory(2).resolve("kept9-0")));
            cluster.stop(2);
            long told = cluster.image().index();
            cluster.quorum().beginEmpty();
            if (grown) {
                growPast(told + 100, cluster.quorum());
            }
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> cluster.start(2))
                        .hasRootCauseInstanceOf(IOException.class)
                        .hasMessageContaining("began anew and know nothing");
                cluster.kill(2);
            }
            Awaitility.await("the running one gives up")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> !cluster.fatal().isEmpty());
            for (int i = 0; i < 10; i++) {
                assertThat(cluster.directory(1).resolve("kept" + i + "-0")).isDirectory();
                assertThat(cluster.directory(2).resolve("kept" + i + "-0")).isDirectory();
            }
        }
    }

    private static void growPast(long index, QuorumHarness quorum) throws IOException {
        try (HarnessClient client = new HarnessClient(quorum)) {
            while (quorum.leader().image().index() <= index) {
                client.submit(new QuorumCommand.NoOp());
            }
        }
    }

    @Test
    void aBrokerThatWasToldMoreThanTheImageIsKeptOutAndToldWhy() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 3, 2, 2_000, Map.of())) {
            Path image = saved(cluster);
            long index = KeyframeFile.parse(image).orElseThrow().index();
            GroupClients.createTopic(cluster, "lost", 1, 2);
            cluster.stop(2);
            Awaitility.await("broker 1 is told more than the image has")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> cluster.image().index() > index);
            cluster.quorum().beginAnew(image);
            Awaitility.await("the running one gives up")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> !cluster.fatal().isEmpty());
            assertThat(cluster.fatal().get(0))
                    .contains("was told the metadata up to index")
                    .contains("an image of index " + index);
            assertThatThrownBy(() -> cluster.start(2))
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasMessageContaining("an image of index " + index);
            // Its data is left alone.
            assertThat(cluster.directory(2).resolve("lost-0")).isDirectory();
            // The way in, if the operator wants it.
            Files.delete(cluster.directory(2).resolve("metadata.known"));
        }
    }
}
