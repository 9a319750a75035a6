package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FormatMainTest {
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

    @TempDir
    Path parent;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path config;

    @BeforeEach
    void writeConfig() throws IOException {
        config = parent.resolve("node.properties");
        Files.write(
                config,
                List.of(
                        "process.roles=broker,controller",
                        "node.id=3",
                        "controller.quorum.voters=3@localhost:9093",
                        "listeners=PLAINTEXT://localhost:9092",
                        "log.dirs=" + parent.resolve("data"),
                        "metadata.log.dir=" + parent.resolve("meta")));
    }

    @Test
    void everyDirectoryOfTheNodeIsFormattedForTheSameCluster() {
        assertThat(run("format", "--config", config.toString(), "--cluster-id", CLUSTER))
                .isZero();
        for (String name : List.of("data", "meta")) {
            DirectoryIdentity identity =
                    DirectoryIdentity.read(parent.resolve(name)).orElseThrow();
            assertThat(identity.clusterId()).isEqualTo(CLUSTER);
            assertThat(identity.nodeId()).isEqualTo(3);
        }
    }

    @Test
    void aControllerThatAwaitsItsImageIsMarkedBeforeItHasAnIdentity() throws IOException {
        Path controller = parent.resolve("meta");
        run("format", "--awaiting-image", "--config", config.toString(), "--cluster-id", CLUSTER);
        assertThat(controller.resolve(NodeDirectory.AWAITING_IMAGE)).exists();
        assertThat(parent.resolve("data").resolve(NodeDirectory.AWAITING_IMAGE)).doesNotExist();
        // As a crash in between would leave it: it stays marked, however it is formatted then.
        Files.delete(controller.resolve("meta.properties"));
        run("format", "--ignore-formatted", "--config", config.toString(), "--cluster-id", CLUSTER);
        assertThat(controller.resolve("meta.properties")).exists();
        assertThat(controller.resolve(NodeDirectory.AWAITING_IMAGE)).exists();
    }

    @Test
    void aSecondTimeIsRefusedInOneLine() {
        run("format", "--config", config.toString(), "--cluster-id", CLUSTER);
        assertThat(run("format", "--config", config.toString(), "--cluster-id", CLUSTER))
                .isEqualTo(1);
        assertThat(text(err)).contains("already formatted").hasLineCount(1);
        assertThat(run("format", "--ignore-formatted", "--config", config.toString(), "--cluster-id", CLUSTER))
                .isZero();
    }

    @Test
    void aBadConfigurationIsRefused() throws IOException {
        Files.write(config, List.of("process.roles=broker", "node.id=x"));
        assertThat(run("format", "--config", config.toString(), "--cluster-id", CLUSTER))
                .isEqualTo(1);
        assertThat(text(err)).contains("node.id = 'x'", "log.dirs is missing");
    }

    @Test
    void whatIsNotUnderstoodGetsTheUsage() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("format")).isEqualTo(2);
        assertThat(run("format", "--config", config.toString(), "--cluster-id", "short"))
                .isEqualTo(2);
        assertThat(text(err)).contains("'short' is no id", "usage:");
        assertThat(Files.exists(parent.resolve("data"))).isFalse();
    }

    @Test
    void aRandomClusterIdIsOne() {
        assertThat(run("random-cluster-id")).isZero();
        assertThat(Uuids.require(text(out).strip())).hasSize(22);
    }

    private int run(String... arguments) {
        return FormatMain.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
