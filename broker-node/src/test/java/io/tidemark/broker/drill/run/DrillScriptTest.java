package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    @Test
    void aMistakeInAFileIsToldWithItsLineAndNothingIsStarted() throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), LEADER_KILLED.replace("do: kill", "do: hit"));
        Result result = drill("run", file.toString(), "--data", directory.toString(), "--report", directory.toString());
        assertThat(result.status).as(result.output).isEqualTo(2);
        assertThat(result.output).contains("bad.yaml, line 14: there is no action hit");
    }

    private record Result(int status, String output) {}

    private Result drill(String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        words.addAll(List.of(arguments));
        Path output = directory.resolve("output");
        // A file and no pipe: the nodes a script starts inherit it.
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("TIDEMARK_CLASSPATH", System.getProperty("java.class.path"));
        Process process = builder.start();
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        if (!ended) {
            process.destroy();
        }
        assertThat(ended).as(Files.readString(output)).isTrue();
        return new Result(process.exitValue(), Files.readString(output));
    }
}
