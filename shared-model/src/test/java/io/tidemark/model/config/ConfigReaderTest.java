package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {
    private static final Map<String, String> BROKER = Map.of(
            "process.roles", "broker",
            "node.id", "1",
            "controller.quorum.voters", "101@localhost:9101",
            "log.dirs", "/data",
            "listeners", "PLAINTEXT://localhost:9092");

    @Test
    void allProblemsAreReportedAtOnce() {
        ConfigException refused = refused(Map.of(
                "node.id", "minus one",
                "log.segment.bytes", "12",
                "log.durability", "maybe",
                "auto.create.topics.enable", "yes",
                "controller.quorum.voters", "localhost:9101",
                "log.dirs", "/a,/b",
                "replica.lag.tme.max.ms", "1"));
        assertThat(refused.problems())
                .containsExactlyInAnyOrder(
                        "node.id = 'minus one': expected a whole number of at least 0",
                        "log.segment.bytes = '12': expected a whole number of at least 1048576",
                        "log.durability = 'maybe': expected replicated or fsync",
                        "auto.create.topics.enable = 'yes': expected true or false",
                        "controller.quorum.voters = 'localhost:9101': expected id@host:port, separated by commas",
                        "log.dirs = '/a,/b': expected one directory; more than one is not built yet",
                        "replica.lag.tme.max.ms is not a known key; did you mean replica.lag.time.max.ms?");
        assertThat(refused).hasMessageContaining("7 problems");
    }

    @Test
    void missingKeysAreNamed() {
        ConfigException refused =
                catchThrowableOfType(ConfigException.class, () -> BrokerConfig.from(new ConfigReader("x", Map.of())));
        assertThat(refused.problems())
                .containsExactlyInAnyOrder(
                        "node.id is missing",
                        "process.roles is missing",
                        "controller.quorum.voters is missing",
                        "log.dirs is missing");
    }

    @Test
    void aKeyFarFromAnyOtherGetsNoSuggestion() {
        assertThat(refused(Map.of("colour", "blue")).problems()).containsExactly("colour is not a known key");
    }

    @Test
    void aMisspelledKeyOfKafkaGetsASuggestionToo() {
        assertThat(refused(Map.of("offsets.topic.num.partition", "1")).problems())
                .containsExactly(
                        "offsets.topic.num.partition is not a known key; did you mean offsets.topic.num.partitions?");
    }

    @Test
    void keysOfKafkaAndOfTheOtherRoleOnlyWarn() {
        ConfigReader reader = new ConfigReader(
                "x",
                with(Map.of(
                        "num.io.threads", "8",
                        "listener.name.plaintext.ssl.keystore.type", "PEM",
                        "quorum.election.timeout.min.ms", "300")));
        assertThat(BrokerConfig.from(reader).nodeId()).isEqualTo(1);
        assertThat(reader.warnings())
                .containsExactlyInAnyOrder(
                        "num.io.threads is a key of Kafka that has no effect here",
                        "listener.name.plaintext.ssl.keystore.type is a key of Kafka that has no effect here",
                        "quorum.election.timeout.min.ms has no effect here: only a controller reads it");
    }

    @Test
    void aRepeatedKeyIsAProblem(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("broker.properties");
        Files.write(file, List.of("process.roles=broker", "node.id=1", "node.id=2"));
        assertThatThrownBy(() -> BrokerConfig.load(file)).hasMessageContaining("node.id is given more than once");
    }

    @Test
    void aFileThatIsNotThereIsNamed(@TempDir Path directory) {
        Path file = directory.resolve("none.properties");
        assertThatThrownBy(() -> BrokerConfig.load(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("there is no such file");
    }

    @Test
    void aHeartbeatSlowerThanAQuarterOfTheSessionIsRefused() {
        assertThat(refused(Map.of("broker.heartbeat.interval.ms", "626")).problems())
                .containsExactly("broker.heartbeat.interval.ms = 626 is more than a quarter of"
                        + " broker.session.timeout.ms = 2500");
        assertThat(BrokerConfig.from(new ConfigReader("x", with(Map.of("broker.heartbeat.interval.ms", "625"))))
                        .session()
                        .heartbeatIntervalMs())
                .isEqualTo(625);
    }

    @Test
    void theFinerUnitOfTimeWins() {
        LogConfig log = BrokerConfig.from(new ConfigReader(
                        "x",
                        with(Map.of(
                                "log.retention.hours", "1",
                                "log.retention.minutes", "2",
                                "log.roll.hours", "1",
                                "log.roll.ms", "77"))))
                .log();
        assertThat(log.retentionMs()).isEqualTo(120_000);
        assertThat(log.rollMs()).isEqualTo(77);
    }

    @Test
    void retentionWithoutEndIsMinusOneInAnyUnit() {
        for (String key : List.of("log.retention.hours", "log.retention.minutes", "log.retention.ms")) {
            LogConfig log = BrokerConfig.from(new ConfigReader("x", with(Map.of(key, "-1"))))
                    .log();
            assertThat(log.retentionMs()).as(key).isEqualTo(-1);
        }
    }

    @Test
    void anAuthorizerIsRefusedRatherThanIgnored() {
        assertThat(refused(Map.of("replica.selector.class", "org.example.A")).problems())
                .singleElement()
                .asString()
                .contains("RackAwareReplicaSelector");
        assertThat(refused(Map.of("authorizer.class.name", "org.example.A")).problems())
                .singleElement()
                .asString()
                .contains("not built yet");
    }

    private static Map<String, String> with(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(BROKER);
        values.putAll(more);
        return values;
    }

    private static ConfigException refused(Map<String, String> more) {
        ConfigException refused = catchThrowableOfType(
                ConfigException.class, () -> BrokerConfig.from(new ConfigReader("test", with(more))));
        assertThat(refused).isNotNull();
        return refused;
    }
}
