package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The files in {@code config/} show every key, and the defaults they show are the defaults. */
class ShippedConfigTest {
    private static final Path CONFIG = Path.of("..", "config");

    /** Keys without a default, whose values in the files are examples. */
    private static final Set<String> REQUIRED =
            Set.of("process.roles", "node.id", "controller.quorum.voters", "log.dirs", "metadata.log.dir");

    private static final Pattern KEY = Pattern.compile("^#?([a-z][a-z0-9.]*)=.*");

    @Test
    void theBrokerFileShowsTheDefaults() {
        Map<String, String> shipped = values("broker.properties");
        BrokerConfig fromFile = BrokerConfig.from(new ConfigReader("shipped", shipped));
        assertThat(fromFile).isEqualTo(BrokerConfig.from(new ConfigReader("required", requiredOnly(shipped))));
    }

    @Test
    void theControllerFileShowsTheDefaults() {
        Map<String, String> shipped = values("controller.properties");
        ControllerConfig fromFile = ControllerConfig.from(new ConfigReader("shipped", shipped));
        assertThat(fromFile).isEqualTo(ControllerConfig.from(new ConfigReader("required", requiredOnly(shipped))));
    }

    @Test
    void theStandaloneFileIsReadByBothRoles() {
        ConfigReader reader = ConfigReader.load(CONFIG.resolve("standalone.properties"));
        BrokerConfig broker = BrokerConfig.from(reader);
        ControllerConfig controller = ControllerConfig.load(CONFIG.resolve("standalone.properties"));
        assertThat(reader.warnings()).isEmpty();
        assertThat(broker.directory()).isEqualTo(controller.directory());
        assertThat(controller.self().port())
                .isNotEqualTo(broker.listeners().interBroker().port());
    }

    @Test
    void everyKeyIsDocumented() throws IOException {
        assertThat(documented("broker.properties")).isEqualTo(new TreeSet<>(KnownKeys.of(NodeRole.BROKER)));
        assertThat(documented("controller.properties")).isEqualTo(new TreeSet<>(KnownKeys.of(NodeRole.CONTROLLER)));
    }

    /** Pins the numbers themselves: the file and the code could drift together. */
    @Test
    void theDefaultsAreTheDocumentedOnes() {
        BrokerConfig broker =
                BrokerConfig.from(new ConfigReader("required", requiredOnly(values("broker.properties"))));
        assertThat(broker.session()).isEqualTo(new SessionConfig(250, 2_500));
        assertThat(broker.replication())
                .isEqualTo(new ReplicationConfig(30_000, 500, 1, 1_048_576, 10_485_760, 1_000, 5_000));
        assertThat(broker.topicDefaults()).isEqualTo(new TopicDefaults(1, 1, 1));
        assertThat(broker.autoTopicCreation()).isEqualTo(new AutoTopicCreation(true, -1, -1));
        assertThat(broker.log())
                .isEqualTo(new LogConfig(
                        1 << 30,
                        604_800_000L,
                        604_800_000L,
                        -1,
                        300_000,
                        4_096,
                        1_048_588,
                        LogConfig.Durability.REPLICATED,
                        64 << 20,
                        86_400_000,
                        600_000,
                        new RecordConfig("producer", "CreateTime", Long.MAX_VALUE, 3_600_000, "delete")));
        ControllerConfig controller =
                ControllerConfig.from(new ConfigReader("required", requiredOnly(values("controller.properties"))));
        assertThat(controller.uncleanElection())
                .isEqualTo(new UncleanElection(false, UncleanElection.Strategy.BALANCED));
        assertThat(controller.rpc()).isEqualTo(QuorumRpc.GRPC);
        assertThat(controller.electionTimeoutMinMs()).isEqualTo(300);
        assertThat(controller.electionTimeoutMaxMs()).isEqualTo(600);
        assertThat(controller.maxPartitionsPerRequest()).isEqualTo(10_000);
    }

    private static Map<String, String> values(String file) {
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(CONFIG.resolve(file))) {
            properties.load(in);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return properties.stringPropertyNames().stream().collect(Collectors.toMap(key -> key, properties::getProperty));
    }

    private static Map<String, String> requiredOnly(Map<String, String> values) {
        Map<String, String> required = new LinkedHashMap<>(values);
        required.keySet().retainAll(REQUIRED);
        return required;
    }

    private static Set<String> documented(String file) throws IOException {
        Set<String> keys = new TreeSet<>();
        for (String line : Files.readAllLines(CONFIG.resolve(file))) {
            Matcher matcher = KEY.matcher(line);
            if (matcher.matches()) {
                keys.add(matcher.group(1));
            }
        }
        return keys;
    }
}
