package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
        Path parent = Files.createDirectory(directory.resolve("work"));
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
        assumeFalse(Boolean.getBoolean("tidemark.hosts.omit"), "left out by tidemark.hosts.omit");
        assumeFalse(Boolean.getBoolean("tidemark.fuse.omit"), "left out by tidemark.fuse.omit");
        Path file = Files.writeString(directory.resolve("hindered.yaml"), EVERYTHING_AT_ONCE);
        Path parent = Files.createDirectory(directory.resolve("work"));
        Path output = directory.resolve("output");
        Process script =
                start(output, "run", file.toString(), "--data", parent.toString(), "--report", directory.toString());
        await().atMost(Duration.ofSeconds(180))
                .until(() -> !script.isAlive() || Files.readString(output).contains("] await"));
        assertThat(script.isAlive()).as(Files.readString(output)).isTrue();
        String work;
        try (Stream<Path> made = Files.list(parent)) {
            work = made.findFirst().orElseThrow().getFileName().toString();
        }
        String prefix = "td" + work.substring(work.length() - 4);
        assertThat(traces(prefix, parent)).as("before").hasSize(4).allMatch(trace -> trace.endsWith(": there"));
        ProcessHandle runner = script.children()
                .filter(child -> child.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
        runner.destroyForcibly();
        assertThat(script.waitFor(120, TimeUnit.SECONDS)).as("the script ends").isTrue();
        assertThat(traces(prefix, parent)).as("after").allMatch(trace -> trace.endsWith(": gone"));
        try (Stream<Path> left = Files.list(parent)) {
            assertThat(left).isEmpty();
        }
    }

    private static List<String> traces(String prefix, Path parent) throws IOException {
        return List.of(
                "namespaces: "
                        + thereIf(Tool.output(List.of("ip", "netns", "list")).contains(prefix)),
                "interfaces: "
                        + thereIf(Tool.output(List.of("ip", "-o", "link")).contains(prefix)),
                "mounts: " + thereIf(Files.readString(Path.of("/proc/mounts")).contains(parent + "/")),
                "processes: "
                        + thereIf(Tool.output(List.of("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null || true"))
                                .contains(parent + "/tidemark-drill")));
    }

    private static String thereIf(boolean found) {
        return found ? "there" : "gone";
    }

    @Test
    void aMistakeInAFileIsToldWithItsLineAndNothingIsStarted() throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), LEADER_KILLED.replace("do: kill", "do: hit"));
        Result result = drill("run", file.toString(), "--data", directory.toString(), "--report", directory.toString());
        assertThat(result.status).as(result.output).isEqualTo(2);
        assertThat(result.output).contains("bad.yaml, line 14: there is no action hit");
    }

    private record Result(int status, String output) {}

    private static Process start(Path output, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("bash", SCRIPT.toString()));
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
        Path output = directory.resolve("output");
        Process process = start(output, arguments);
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        if (!ended) {
            process.destroy();
        }
        assertThat(ended).as(Files.readString(output)).isTrue();
        return new Result(process.exitValue(), Files.readString(output));
    }
}
