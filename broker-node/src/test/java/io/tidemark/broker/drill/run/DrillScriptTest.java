package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.broker.drill.plan.Drill;
import io.tidemark.broker.drill.plan.DrillReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's way: a drill by its script, on a small cluster of real processes. */
class DrillScriptTest {
    private static final Path SCRIPT =
            Path.of("..", "scripts", "drill.sh").toAbsolutePath().normalize();

    private static final String LEADER_KILLED = """
            name: small
            promise: A killed leader costs nothing that was acknowledged.
            cluster:
              controllers: 1
              topics:
                - {name: orders}
            workload:
              producers:
                - {name: steady, acks: all, rate: 100}
              consumers:
                - {name: reader}
                - {name: group, members: 1}
            steps:
              - {at: 1s, do: kill, node: leader of orders-0, as: victim}
              - {at: 1s, do: await, until: new-leader, partition: orders-0}
              - {at: 1s, do: await, until: acks}
              - {at: 1s, do: start, node: victim}
            length: 3s
            """;

    @TempDir
    Path directory;

    @Test
    void aKilledLeaderIsReportedAndNothingIsLeftBehind() throws Exception {
        Path file = Files.writeString(directory.resolve("small.yaml"), LEADER_KILLED);
        Path parent = Files.createDirectory(directory.resolve("its work"));
        Path report = directory.resolve("report");
        Result result = drill("run", file.toString(), "--data", parent.toString(), "--report", report.toString());
        assertThat(result.status).as(result.output).isZero();
        JsonNode json = new ObjectMapper().readTree(report.resolve("small.json").toFile());
        assertThat(json.path("held").asBoolean()).isTrue();
        assertThat(json.path("acked").asLong()).isGreaterThan(100);
        assertThat(json.path("measures").path("replicas-differ").path("value").asLong(-1))
                .isZero();
        assertThat(json.path("measures").path("metadata-differs").path("value").asLong(-1))
                .isZero();
        int victim = json.path("faults").get(0).path("nodes").get(0).asInt();
        JsonNode change = json.path("changes").get(0);
        assertThat(change.path("before").path("leader").asInt()).isEqualTo(victim);
        assertThat(change.path("cause").asText()).isEqualTo("FenceBrokers");
        assertThat(change.path("explainedBy").asText()).startsWith("kill leader of orders-0");
        assertThat(report.resolve("small.html")).content().contains("<svg", ">held<");
        try (Stream<Path> left = Files.list(parent)) {
            assertThat(left).isEmpty();
        }
    }

    private static final String EVERYTHING_AT_ONCE = """
            name: hindered
            promise: Nothing of it is left.
            cluster:
              controllers: 1
              topics:
                - {name: orders}
            workload:
              producers:
                - {name: steady, acks: all, rate: 100}
            keeps: {replicas: none}
            steps:
              - {at: 0s, do: impair, node: 1, from: brokers, delay: 20ms, loss: 1}
              - {at: 0s, do: cut, node: 2, from: controllers, way: in}
              - {at: 0s, do: slow-disk, node: 3, delay: 20ms}
              - {at: 0s, do: jump-clock, node: 3, by: 60s}
              - {at: 0s, do: await, until: isr-size, partition: orders-0, size: 0, within: 600s}
            length: 1s
            """;

    /** Not even the runner itself can undo anything then. */
    @Test
    void ofARunnerThatIsKilledNoNetworkDiskOrProcessIsLeft() throws Exception {
        Hindered drill = new Hindered();
        ProcessHandle runner = drill.script
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
        runner.destroyForcibly();
        assertThat(drill.ended()).as("not run").isEqualTo(3);
        try (Stream<Path> left = Files.list(drill.parent)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void ofADrillThatIsInterruptedNothingIsLeftButWhatIsToBeKept() throws Exception {
        Hindered drill = new Hindered("--keep");
        // As Ctrl-C does it: to all of its process group.
        Tool.output(List.of("kill", "-INT", "--", "-" + drill.script.pid()));
        assertThat(drill.ended()).isEqualTo(130);
        try (Stream<Path> left = Files.list(drill.parent)) {
            assertThat(left)
                    .singleElement()
                    .satisfies(work ->
                            assertThat(work.resolve("hindered/cluster/logs")).isNotEmptyDirectory());
        }
    }

    /** A drill in the middle of everything that it does at once. */
    private final class Hindered {
        private final Path parent = Files.createDirectory(directory.resolve("its work"));
        private final Process script;
        private final String prefix;

        Hindered(String... more) throws IOException {
            assumeFalse(Boolean.getBoolean("tidemark.hosts.omit"), "left out by tidemark.hosts.omit");
            assumeFalse(Boolean.getBoolean("tidemark.fuse.omit"), "left out by tidemark.fuse.omit");
            Path file = Files.writeString(directory.resolve("hindered.yaml"), EVERYTHING_AT_ONCE);
            Path output = directory.resolve("output");
            List<String> arguments = new ArrayList<>(
                    List.of("run", file.toString(), "--data", parent.toString(), "--report", directory.toString()));
            arguments.addAll(List.of(more));
            script = start(output, arguments.toArray(String[]::new));
            await().atMost(Duration.ofSeconds(180))
                    .until(() -> !script.isAlive() || Files.readString(output).contains("] await"));
            assertThat(script.isAlive()).as(Files.readString(output)).isTrue();
            try (Stream<Path> made = Files.list(parent)) {
                String work = made.findFirst().orElseThrow().getFileName().toString();
                prefix = "td" + work.substring(work.length() - 4);
            }
            assertThat(traces(prefix, parent)).as("before").hasSize(4).allMatch(trace -> trace.endsWith(": there"));
        }

        /** The script's exit status, when nothing runs, is mounted or connected any more. */
        int ended() throws Exception {
            assertThat(script.waitFor(120, TimeUnit.SECONDS))
                    .as("the script ends")
                    .isTrue();
            assertThat(traces(prefix, parent)).as("after").allMatch(trace -> trace.endsWith(": gone"));
            return script.exitValue();
        }
    }

    private static List<String> traces(String prefix, Path parent) throws IOException {
        return List.of(
                "namespaces: "
                        + thereIf(Tool.output(List.of("ip", "netns", "list")).contains(prefix)),
                "interfaces: "
                        + thereIf(Tool.output(List.of("ip", "-o", "link")).contains(prefix)),
                "mounts: "
                        + thereIf(Files.readString(Path.of("/proc/mounts"))
                                .contains(parent.toString().replace(" ", "\\040") + "/")),
                "processes: "
                        + thereIf(Tool.output(List.of("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null || true"))
                                .contains(parent + "/tidemark-drill")));
    }

    private static String thereIf(boolean found) {
        return found ? "there" : "gone";
    }

    private static final String ON_A_TAKEN_CLUSTER = """
            name: taken
            promise: A node dies.
            cluster:
              brokers: 2
              controllers: 1
              topics:
                - {name: orders, replicas: 2}
            workload:
              producers:
                - {name: steady, acks: all, rate: 100}
              consumers:
                - {name: group, members: 1}
            steps:
              - {at: 0s, do: pause, node: follower of orders-0, as: paused}
              - {at: 0s, do: await, until: acks}
              - {at: 0s, do: resume, node: paused}
            length: 1s
            expect: {died: 1}
            """;

    @Test
    void aClusterThatRunsIsTakenOnlyIfItIsMeantAndIsLeftAsItWas() throws Exception {
        Drill drill = DrillReader.read("taken", ON_A_TAKEN_CLUSTER);
        Path inventory = Files.writeString(
                directory.resolve("own.conf"), ClusterMaker.inventory(drill.cluster(), Surroundings.NONE));
        String[] cluster = {
            "--inventory",
            inventory.toString(),
            "--data",
            directory.resolve("own").toString()
        };
        try {
            assertThat(cluster(cluster, "format").status).isZero();
            Result up = cluster(cluster, "up");
            assertThat(up.status).as(up.output).isZero();
            String id = cluster(cluster, "cluster-id").output.strip();
            try (Admin admin = Admin.create(Map.of(
                    "bootstrap.servers", cluster(cluster, "bootstrap").output.strip()))) {
                admin.createTopics(List.of(new NewTopic("payments", 1, (short) 2)))
                        .all()
                        .get(60, TimeUnit.SECONDS);

                assertRefused("nothing was done to it", taken("another", cluster, ON_A_TAKEN_CLUSTER));
                assertRefused(
                        "has to have made itself",
                        taken(id, cluster, ON_A_TAKEN_CLUSTER.replace("do: resume", "do: wipe")));
                String two = ON_A_TAKEN_CLUSTER.replace("workload:", "    - {name: payments, replicas: 2}\nworkload:");
                assertRefused("topic payments is there already", taken(id, cluster, two));
                assertRefused(
                        "topic orders is refused: ",
                        taken(
                                id,
                                cluster,
                                ON_A_TAKEN_CLUSTER.replace(
                                        "replicas: 2}\n", "replicas: 2, configs: {min.insync.replicaz: 1}}\n")));
                assertRefused(
                        "needs the nodes [3]",
                        taken(id, cluster, ON_A_TAKEN_CLUSTER.replace("brokers: 2", "brokers: 3")));
                assertThat(admin.listTopics().names().get()).containsExactly("payments");

                Result result = taken(id, cluster, ON_A_TAKEN_CLUSTER);
                assertThat(result.status).as(result.output).isEqualTo(1);
                assertThat(result.output).contains("NOT died").doesNotContain("PROBLEM");
                assertThat(admin.listTopics().names().get()).containsExactly("payments");
                assertThat(admin.listGroups().all().get()).isEmpty();

                String endless = ON_A_TAKEN_CLUSTER.replace("until: acks", "until: no-leader, partition: orders-0");
                assertInterruptedLeavesNothing(
                        taken(id, cluster), Files.writeString(directory.resolve("taken.yaml"), endless));
                assertThat(admin.listTopics().names().get()).containsExactly("payments");
                assertThat(admin.listGroups().all().get()).isEmpty();
                Result health = cluster(cluster, "wait-healthy");
                assertThat(health.status).as(health.output).isZero();

                assertThat(cluster(cluster, "kill", "2").status).isZero();
                assertRefused("[2] do not run on this machine", taken(id, cluster, ON_A_TAKEN_CLUSTER));
            }
        } finally {
            cluster(cluster, "down");
        }
    }

    private static void assertRefused(String why, Result result) {
        assertThat(result.status).as(result.output).isEqualTo(3);
        assertThat(result.output).contains(why);
    }

    private void assertInterruptedLeavesNothing(List<String> options, Path file) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("run", file.toString()));
        arguments.addAll(options);
        Path output = directory.resolve("output");
        Process script = start(output, arguments.toArray(String[]::new));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !script.isAlive() || Files.readString(output).contains("] await"));
        Tool.output(List.of("kill", "-INT", "--", "-" + script.pid()));
        assertThat(script.waitFor(120, TimeUnit.SECONDS)).as("the script ends").isTrue();
        assertThat(script.exitValue()).as(Files.readString(output)).isEqualTo(130);
        assertThat(Files.readString(output)).contains("heal").doesNotContain("PROBLEM undoing");
    }

    private List<String> taken(String id, String[] cluster) {
        return List.of(
                "--report",
                directory.resolve("report").toString(),
                "--cluster-id",
                id,
                cluster[0],
                cluster[1],
                "--cluster-data",
                cluster[3]);
    }

    private Result taken(String id, String[] cluster, String text) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "run", Files.writeString(directory.resolve("taken.yaml"), text).toString()));
        arguments.addAll(taken(id, cluster));
        return drill(arguments.toArray(String[]::new));
    }

    private Result cluster(String[] options, String... command) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of(command));
        return run(SCRIPT.resolveSibling("cluster.sh"), arguments.toArray(String[]::new));
    }

    @Test
    void aMistakeInAFileIsToldWithItsLineAndNothingIsStarted() throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), LEADER_KILLED.replace("do: kill", "do: hit"));
        Result result = drill("run", file.toString(), "--data", directory.toString(), "--report", directory.toString());
        assertThat(result.status).as(result.output).isEqualTo(2);
        assertThat(result.output).contains("bad.yaml, line 14: there is no action hit");
    }

    /** A Java that finds no class, or has no memory, ends with 1, which would say that something did not hold. */
    @Test
    void whatKeepsARunnerFromRunningIsNoVerdict() throws Exception {
        Path file = Files.writeString(directory.resolve("small.yaml"), LEADER_KILLED);
        Path without = Files.writeString(
                directory.resolve("without-classes"), "TIDEMARK_CLASSPATH=none exec '" + SCRIPT + "' \"$@\"\n");
        Result result =
                run(without, "run", file.toString(), "--data", directory.toString(), "--report", directory.toString());
        assertRefused("not run: its runner ended with status 1", result);
        assertRefused("", drill("run", file.toString(), "--report", file + "/none"));
        assertRefused("", drill("run", file.toString(), "--data", file + "/none", "--report", directory.toString()));
    }

    private record Result(int status, String output) {}

    private static Process start(Path output, String... arguments) throws IOException {
        return start(output, SCRIPT, arguments);
    }

    /**
     * In a process group of its own and with Ctrl-C in force, as a shell that one types at would start it: whoever runs
     * these tests in the background may have it ignored, and everything that they start would inherit that.
     */
    private static Process start(Path output, Path script, String... arguments) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("env", "--default-signal=INT", "setsid", "bash", script.toString()));
        words.addAll(List.of(arguments));
        // A file and no pipe: the nodes a script starts inherit it.
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("TIDEMARK_CLASSPATH", System.getProperty("java.class.path"));
        return builder.start();
    }

    private Result drill(String... arguments) throws IOException, InterruptedException {
        return run(SCRIPT, arguments);
    }

    private Result run(Path script, String... arguments) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = start(output, script, arguments);
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        if (!ended) {
            process.destroy();
        }
        assertThat(ended).as(Files.readString(output)).isTrue();
        return new Result(process.exitValue(), Files.readString(output));
    }
}
