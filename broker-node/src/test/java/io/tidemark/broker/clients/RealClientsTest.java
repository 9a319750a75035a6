package io.tidemark.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.tidemark.broker.app.BrokerCluster;
import io.tidemark.quorum.ratis.QuorumHarness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same script of work with every client. The programs of other languages have to be installed ({@code .ci/run} does
 * it); a client that is missing fails, unless the system property {@code tidemark.clients.omit} names it (a list of kcat,
 * kafka-python, kafkajs). {@code tidemark.clients.table} names a file for the table of client and feature;
 * {@code scripts/clients.sh} makes {@code docs/CLIENTS.md} so.
 */
class RealClientsTest {
    private static final int RECORDS = 10_000;
    private static final int STEADY = 1_500;
    private static final Path PROGRAMS = Path.of("src/test/clients").toAbsolutePath();
    private static final Set<String> OMITTED = Set.copyOf(
            Arrays.asList(System.getProperty("tidemark.clients.omit", "").split(",")));

    /** Rows of the table by what they show, in the order of work. */
    private static final Map<String, String> FEATURES = new LinkedHashMap<>();

    static {
        FEATURES.put("create", "create a topic");
        FEATURES.put("produce all", "5,000 keyed records, acks all");
        FEATURES.put("produce 1", "5,000 keyed records, acks 1");
        FEATURES.put("assign", "read by assignment, in order");
        FEATURES.put("group", "read by group and commit");
        FEATURES.put("resume", "commits stand");
        FEATURES.put("rebalance", "rebalance of 3 members, then 2");
        FEATURES.put("steady", "leader and coordinator killed under writer and group");
        FEATURES.put("times", "list offsets by time");
        FEATURES.put("describe", "describe topic and settings");
        FEATURES.put("groups", "list and describe groups");
        FEATURES.put("delete", "delete topic and group");
    }

    private static final Map<String, Map<String, Outcome>> RESULTS = new LinkedHashMap<>();

    @TempDir
    private static Path root;

    private static BrokerCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new BrokerCluster(
                root,
                QuorumHarness.withCore(root, 3, 2_000),
                3,
                Map.of("broker.session.timeout.ms", "2000", "auto.create.topics.enable", "false"));
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
        String table = System.getProperty("tidemark.clients.table", "");
        if (!table.isEmpty()) {
            Files.writeString(Path.of(table), table());
        }
    }

    static Stream<String> clients() {
        return Stream.of("java-classic", "java-consumer", "kcat", "kafka-python", "kafkajs");
    }

    @ParameterizedTest
    @MethodSource("clients")
    void doesItsWork(String which) throws Exception {
        assumeFalse(OMITTED.contains(which), which + " is left out by tidemark.clients.omit");
        RealClient client = client(which);
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        RESULTS.put(client.name(), outcomes);
        String topic = "work-" + which;
        String group = "group-" + which;
        for (String feature : FEATURES.keySet()) {
            outcomes.put(feature, run(client, feature, topic, group));
        }
        assertThat(outcomes.values()).noneMatch(outcome -> outcome.kind() == Outcome.Kind.FAILED);
        assertThat(cluster.fatal()).isEmpty();
    }

    private static Outcome run(RealClient client, String feature, String topic, String group) throws Exception {
        String half = String.valueOf(RECORDS / 2);
        String all = String.valueOf(RECORDS);
        return switch (feature) {
            case "create" -> orElse(step(client, "create", topic), "create", topic);
            case "produce all" -> step(client, "produce", topic, "0", half, "all");
            case "produce 1" -> step(client, "produce", topic, half, half, "1");
            case "assign" -> step(client, "assign", topic, all);
            case "group", "resume" -> step(client, feature, topic, group, all);
            case "rebalance" -> step(client, "rebalance", topic, group + "-members");
            case "steady" -> underFailures(client, topic + "-steady", group + "-steady");
            case "times", "describe" -> step(client, feature, topic);
            case "groups" -> step(client, "groups", group);
            case "delete" -> orElse(step(client, "delete", topic, group), "delete", topic, group);
            default -> throw new IllegalArgumentException(feature);
        };
    }

    private static Outcome step(RealClient client, String step, String... arguments) {
        return client.run(step, cluster.bootstrap(), List.of(arguments), sent -> {});
    }

    /** What a client lacks and the next steps need, Kafka's own does. */
    private static Outcome orElse(Outcome outcome, String step, String... arguments) {
        if (outcome.kind() == Outcome.Kind.LACKS) {
            assertThat(step(new JavaClient("classic"), step, arguments)).isEqualTo(Outcome.WORKS);
        }
        return outcome;
    }

    /** While the client writes and reads, first the leader of partition 0 is killed and comes back, then the coordinator. */
    private static Outcome underFailures(RealClient client, String topic, String group) throws Exception {
        assertThat(step(new JavaClient("classic"), "create", topic)).isEqualTo(Outcome.WORKS);
        cluster.awaitIsr(topic, 0, 3);
        CompletableFuture<Void> leaderDue = new CompletableFuture<>();
        CompletableFuture<Void> coordinatorDue = new CompletableFuture<>();
        List<String> killed = new ArrayList<>();
        CompletableFuture<Void> faults = leaderDue
                .thenRunAsync(() -> {
                    int leader = cluster.partition(topic, 0).leader();
                    restart(leader, topic);
                    killed.add("leader " + leader);
                })
                .thenCombineAsync(coordinatorDue, (one, two) -> {
                    int coordinator = coordinator(group);
                    restart(coordinator, topic);
                    killed.add("coordinator " + coordinator);
                    return null;
                });
        Outcome outcome =
                client.run("steady", cluster.bootstrap(), List.of(topic, group, String.valueOf(STEADY)), sent -> {
                    if (sent >= 300) {
                        leaderDue.complete(null);
                    }
                    if (sent >= 800) {
                        coordinatorDue.complete(null);
                    }
                });
        if (outcome.kind() == Outcome.Kind.WORKS) {
            faults.get(60, TimeUnit.SECONDS);
            assertThat(killed).hasSize(2);
            return outcome;
        }
        Set<Integer> kept = JavaClient.values(cluster.bootstrap(), topic);
        List<Integer> lost = IntStream.range(0, STEADY)
                .filter(value -> !kept.contains(value))
                .boxed()
                .toList();
        return new Outcome(
                outcome.kind(), outcome.detail() + " (killed: " + killed + "; not in the log at all: " + lost + ")");
    }

    private static void restart(int broker, String topic) {
        cluster.kill(broker);
        cluster.start(broker);
        for (int partition = 0; partition < 6; partition++) {
            cluster.awaitIsr(topic, partition, 3);
        }
    }

    private static int coordinator(String group) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            return admin.describeConsumerGroups(List.of(group))
                    .all()
                    .get(30, TimeUnit.SECONDS)
                    .get(group)
                    .coordinator()
                    .id();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static RealClient client(String which) throws Exception {
        return switch (which) {
            case "java-classic" -> new JavaClient("classic");
            case "java-consumer" -> new JavaClient("consumer");
            case "kcat" ->
                new ProgramClient(
                        "kcat " + version("Version ([0-9.]+).*librdkafka ([0-9.]+)", "kcat", "-V"),
                        List.of("bash", PROGRAMS.resolve("kcat_client.sh").toString()),
                        Map.of());
            case "kafka-python" -> {
                String python = System.getProperty("tidemark.clients.python", "/usr/bin/python3");
                yield new ProgramClient(
                        "kafka-python " + version("(.*)", python, "-c", "import kafka; print(kafka.__version__)"),
                        List.of(
                                python,
                                PROGRAMS.resolve("kafka_python_client.py").toString()),
                        Map.of());
            }
            case "kafkajs" -> {
                Path module = Path.of(
                                System.getProperty("tidemark.clients.kafkajs", "../.clients/node_modules/kafkajs"))
                        .toAbsolutePath();
                yield new ProgramClient(
                        "kafkajs " + version("(.*)", "node", "-p", "require('" + module + "/package.json').version"),
                        List.of("node", PROGRAMS.resolve("kafkajs_client.js").toString()),
                        Map.of("KAFKAJS_PATH", module.toString()));
            }
            default -> throw new IllegalArgumentException(which);
        };
    }

    /** The groups of {@code pattern} in what the command prints; fails if the client is not installed. */
    private static String version(String pattern, String... command) throws Exception {
        String hint = String.join(" ", command) + " must run: .ci/run installs it, tidemark.clients.omit leaves it out";
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var matcher = java.util.regex.Pattern.compile(pattern, java.util.regex.Pattern.DOTALL)
                    .matcher(output.strip());
            assertThat(process.waitFor() == 0 && matcher.find())
                    .as("%s; it printed: %s", hint, output)
                    .isTrue();
            return matcher.groupCount() == 1 ? matcher.group(1) : matcher.group(1) + ", librdkafka " + matcher.group(2);
        } catch (IOException e) {
            throw new AssertionError(hint, e);
        }
    }

    private static String table() {
        StringBuilder table = new StringBuilder("# Clients\n\n"
                + "Made by `scripts/clients.sh`: the same script of work with every client, against three"
                + " controllers and three\n"
                + "brokers. The programs are in `broker-node/src/test/clients`; `RealClientsTest` runs them.\n\n");
        table.append("| |");
        RESULTS.keySet().forEach(name -> table.append(' ').append(name).append(" |"));
        table.append("\n| --- |").append(" --- |".repeat(RESULTS.size())).append('\n');
        FEATURES.forEach((feature, label) -> {
            table.append("| ").append(label).append(" |");
            RESULTS.values()
                    .forEach(outcomes -> table.append(' ')
                            .append(cell(outcomes.get(feature)))
                            .append(" |"));
            table.append('\n');
        });
        return table.toString();
    }

    private static String cell(Outcome outcome) {
        if (outcome == null) {
            return "not run";
        }
        return switch (outcome.kind()) {
            case WORKS -> "works";
            case LACKS -> "not in the client: " + outcome.detail();
            case FAILED ->
                "**fails**: " + outcome.detail().lines().findFirst().orElse("").replace("|", "\\|");
        };
    }
}
