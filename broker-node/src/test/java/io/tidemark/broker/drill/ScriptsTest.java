package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every operator's script promises: help, and a failing exit status with one line for what it does not know. */
class ScriptsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static Stream<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("scripts"))) {
            return files.filter(file -> file.toString().endsWith(".sh") && Files.isExecutable(file)).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void answersHelp(Path script) throws Exception {
        Result result = run(List.of(script.toString(), "--help"));
        assertThat(result.status).isZero();
        assertThat(result.out).contains("usage: scripts/" + script.getFileName());
        assertThat(result.err).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void refusesWhatItDoesNotKnow(Path script) throws Exception {
        Result result = run(List.of(script.toString(), "--no-such-option"));
        assertThat(result.status).isNotZero();
        assertThat(result.out).isEmpty();
        assertThat(result.err).isNotEmpty();
    }

    @Test
    void anInventoryWithAMistakeIsRefusedWithItsLine(@TempDir Path directory) throws Exception {
        Path inventory = directory.resolve("bad.conf");
        Files.write(inventory, List.of("# nodes", "1 broker 127.0.0.1 19092 b", "2 brokre 127.0.0.1 19093 c"));
        Result result = run(List.of(
                ROOT.resolve("scripts/cluster.sh").toString(),
                "--inventory",
                inventory.toString(),
                "--data",
                directory.resolve("data").toString(),
                "up"));
        assertThat(result.status).isEqualTo(1);
        assertThat(result.err).contains("bad.conf, line 3").hasLineCount(1);
    }

    /** The one deployed last of all is the oldest folder here: it may have been there already. */
    @Test
    void ofInstallationsTheLastThreeAreKeptAndThoseThatRun(@TempDir Path directory) throws Exception {
        Path versions = Files.createDirectories(directory.resolve("it's here/versions"));
        for (int day = 1; day <= 6; day++) {
            Path version = Files.createDirectory(versions.resolve("v" + day));
            Files.copy(Path.of("/bin/sleep"), version.resolve("node"));
            Files.setLastModifiedTime(
                    version,
                    java.nio.file.attribute.FileTime.from(java.time.Instant.parse("2026-01-0" + day + "T00:00:00Z")));
        }
        Process node = new ProcessBuilder(versions.resolve("v2/node").toString(), "100").start();
        try {
            String prune = "source scripts/hosts.sh; source scripts/deploy.sh; sh -c \"$(prune_command \"$0\" v1)\"";
            Result result = run(List.of(
                    "-c", "cd '" + ROOT + "'; " + prune, versions.getParent().toString()));
            assertThat(result.status).as(result.err).isZero();
            try (Stream<Path> left = Files.list(versions)) {
                assertThat(left.map(path -> path.getFileName().toString()))
                        .containsExactlyInAnyOrder("v1", "v2", "v5", "v6");
            }
        } finally {
            node.destroyForcibly().waitFor();
        }
    }

    /** The machine is a stand-in for ssh that gives its last argument to a shell, as sshd does. */
    @Test
    void whatIsSaidToAnotherMachineArrivesWordForWord(@TempDir Path directory) throws Exception {
        script(directory.resolve("bin/ssh"), "for last; do :; done", "exec sh -c \"$last\"");
        script(
                directory.resolve("it's/current/bin/cluster.sh"),
                "printf '<%s>' \"$@\" \"$TIDEMARK_JVM_OPTS\"",
                "cat >&2",
                "exit 3");
        Path inventory = directory.resolve("far.conf");
        String node = "7 broker 192.0.2.1 9092 b";
        Files.write(
                inventory,
                List.of("host all user=me", "host 192.0.2.1 data=d$HOME install=" + directory.resolve("it's"), node));
        Result result = run(
                List.of(
                        ROOT.resolve("scripts/cluster.sh").toString(),
                        "--inventory",
                        inventory.toString(),
                        "--data",
                        directory.resolve("data").toString(),
                        "pause",
                        "7"),
                Map.of(
                        "PATH",
                        directory.resolve("bin") + ":" + System.getenv("PATH"),
                        "TIDEMARK_SSH_CONTROL_DIR",
                        directory.resolve("connections").toString(),
                        "TIDEMARK_JVM_OPTS",
                        "-Da='b  c' \"$d\""));
        assertThat(result.out).isEqualTo("<--on><192.0.2.1><--data><d$HOME><pause><7><-Da='b  c' \"$d\">");
        assertThat(result.err).contains("192.0.2.1: " + node).contains("cluster.sh: pause failed on: 192.0.2.1");
        assertThat(result.status).isEqualTo(1);
    }

    private static void script(Path file, String... lines) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void kafkasToolsAreOfTheVersionOfKafkasClients() throws IOException {
        assertThat(version(ROOT.resolve("scripts/kafka-tools/pom.xml"))).isEqualTo(version(ROOT.resolve("pom.xml")));
    }

    private static String version(Path pom) throws IOException {
        Matcher matcher = Pattern.compile("<kafka.version>(.*)</kafka.version>").matcher(Files.readString(pom));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    record Result(int status, String out, String err) {}

    private static Result run(List<String> command) throws Exception {
        return run(command, Map.of());
    }

    /** Of a script and its arguments, within a minute. */
    static Result run(List<String> command, Map<String, String> environment) throws Exception {
        List<String> words = new ArrayList<>(List.of("bash"));
        words.addAll(command);
        Path err = Files.createTempFile("script", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(words).redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Result(process.exitValue(), out, Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }
}
