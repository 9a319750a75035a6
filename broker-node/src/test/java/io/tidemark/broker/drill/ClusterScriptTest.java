package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.ScriptsTest.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What cluster.sh does when, without a cluster: a stand-in for Java notes what it is asked for and answers from files, and
 * sleeping processes pass for nodes.
 */
class ClusterScriptTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String CLUSTER = "AAAAAAAAAAAAAAAAAAAAAA";

    @TempDir
    private Path folder;

    private final List<Process> nodes = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private Path data;
    private Path inventory;

    @BeforeEach
    void aClusterThatWasStarted() throws IOException {
        data = Files.createDirectories(folder.resolve("data"));
        inventory = folder.resolve("test.conf");
        Files.write(
                inventory,
                List.of(
                        "101 controller 127.0.0.1 1 c101",
                        "102 controller 127.0.0.1 2 c102",
                        "103 controller 127.0.0.1 3 c103",
                        "104 controller 127.0.0.1 4 c104",
                        "1 broker 127.0.0.1 5 b1"));
        Files.writeString(data.resolve("cluster.id"), CLUSTER + "\n");
        Files.writeString(data.resolve("cluster.started"), "");
        script(
                "java",
                "case \"$*\" in",
                "  *-XshowSettings*) echo '    java.home = " + folder + "/jdk' >&2 ;;",
                "esac",
                "case \"$*\" in *-version*) echo 'openjdk version \"17.0.1\"' >&2; exit 0 ;; esac",
                "while [ $# -gt 0 ]; do case \"$1\" in io.tidemark.*) break ;; esac; shift; done",
                "main=${1##*.}; shift",
                "echo \"$main $*\" >>'" + folder + "/asked'",
                "if [ -e '" + folder + "/answers/'\"$1\" ]; then cat '" + folder + "/answers/'\"$1\"; else exit 9; fi");
        for (String other : List.of("ssh", "tail", "systemctl")) {
            script(other, "echo \"" + other + " $*\" >>'" + folder + "/asked'", "exit 9");
        }
        Files.createDirectories(folder.resolve("jdk/bin"));
        Files.createSymbolicLink(folder.resolve("jdk/bin/java"), folder.resolve("bin/java"));
        Files.createDirectories(folder.resolve("answers"));
        environment.putAll(Map.of(
                "PATH",
                folder.resolve("bin") + ":" + System.getenv("PATH"),
                "JAVA_HOME",
                folder.resolve("jdk").toString(),
                "TIDEMARK_CLASSPATH",
                "none",
                "TIDEMARK_START_TIMEOUT_S",
                "1",
                "TIDEMARK_SSH_CONTROL_DIR",
                folder.resolve("connections").toString()));
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process node : nodes) {
            node.destroyForcibly().waitFor();
        }
    }

    private void script(String name, String... lines) throws IOException {
        Path file = Files.createDirectories(folder.resolve("bin")).resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void answer(String command, String text) throws IOException {
        Files.writeString(folder.resolve("answers").resolve(command), text);
    }

    private void members(int... ids) throws IOException {
        StringBuilder text = new StringBuilder("{\"acting\":101,\"members\":[");
        for (int id : ids) {
            text.append("{\"node\":").append(id).append(",\"address\":\"127.0.0.1:1\"},");
        }
        answer("members", text + "]}");
    }

    private List<String> asked() throws IOException {
        Path file = folder.resolve("asked");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    /** A process that has the node's properties on its command line, as a node does. */
    private void runs(int id, boolean ready) throws IOException {
        Path properties = data.resolve("config/node-" + id + ".properties");
        Process node = new ProcessBuilder("sh", "-c", "sleep 100; :", properties.toString()).start();
        nodes.add(node);
        Files.createDirectories(data.resolve("run"));
        Files.writeString(data.resolve("run/node-" + id + ".pid"), node.pid() + "\n");
        Path logs = Files.createDirectories(data.resolve("logs/node-" + id));
        Files.writeString(logs.resolve("stdout.log"), ready ? "TIDEMARK READY node=" + id + "\n" : "");
        Files.writeString(logs.resolve("stderr.log"), "");
    }

    private Result cluster(String command) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                ROOT.resolve("scripts/cluster.sh").toString(),
                "--inventory",
                inventory.toString(),
                "--data",
                data.toString()));
        words.addAll(List.of(command.split(" ")));
        return ScriptsTest.run(words, environment);
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) all::iterator) {
                if (!file.equals(folder.resolve("stderr"))) {
                    files.put(file.toString(), Files.isRegularFile(file) ? Files.readString(file) : "");
                }
            }
        }
        return files;
    }

    private static final String DRY = "deploy|deploy --start|format --ignore-formatted|format --from-image FOLDER/image"
            + "|up|down|status|status --json|health|health --json|wait-healthy --timeout 5|why t 0|start 1|start 105"
            + "|stop 1|safe-to-stop 1|roll|roll --only brokers|kill 1|pause 1|resume 105|quorum members|quorum add 104"
            + "|quorum add 105|quorum remove 103|quorum replace 103 104|quorum replace 103|quorum transfer 102|logs 1"
            + "|logs 1 -f|logs 105|run 1|run 101|unit 1|bootstrap|controllers|rpc|cluster-id|directory 1|health-address 1";

    static Stream<String> dryCommands() {
        return Stream.of(DRY.split("\\|"));
    }

    @ParameterizedTest
    @MethodSource("dryCommands")
    void aDryRunRunsNothingAndChangesNothing(String command) throws Exception {
        Files.writeString(
                inventory, Files.readString(inventory) + "105 controller 192.0.2.1 6 c105\n2 broker 192.0.2.1 7 b2\n");
        Files.writeString(folder.resolve("image"), "");
        Map<String, String> before = files();
        Result result = cluster("--dry-run " + command.replace("FOLDER", folder.toString()));
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).isNotEmpty();
        assertThat(asked()).isEmpty();
        assertThat(files()).isEqualTo(before);
    }

    /** Also where no ssh is in it. */
    @Test
    void whatADryRunPrintsDoesWhatIsMeant() throws Exception {
        Result printed = cluster("--dry-run directory 1");
        Result run = ScriptsTest.run(List.of("-c", printed.out()), environment);
        assertThat(run.status()).as(printed.out() + run.err()).isZero();
        assertThat(run.out()).isEqualTo(cluster("directory 1").out());
    }

    @Test
    void twoNodesDoNotHaveOneAddress() throws Exception {
        Files.writeString(inventory, Files.readString(inventory) + "2 broker 127.0.0.1 5 b2\n");
        Result refused = cluster("bootstrap");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("test.conf, line 6: node 2 has the address of node 1, 127.0.0.1:5");
    }

    /** A service manager starts it from somewhere else. */
    @Test
    void aUnitNamesItsFilesInFull() throws Exception {
        Result unit = ScriptsTest.run(
                List.of(
                        "-c",
                        "cd '" + folder + "' && '" + ROOT.resolve("scripts/cluster.sh")
                                + "' --inventory test.conf --data data unit 1"),
                environment);
        assertThat(unit.status()).as(unit.err()).isZero();
        assertThat(unit.out()).contains("--inventory \"" + inventory + "\" --data \"" + data + "\" run 1");
    }

    @Test
    void aWaitThatIsNotUnderstoodIsRefused() throws Exception {
        assertThat(cluster("wait-healthy --timeout soon").err()).contains("--timeout needs seconds");
        assertThat(cluster("wait-healthy 5").err()).contains("takes --timeout S and --json, and not 5");
        assertThat(asked()).isEmpty();
        cluster("wait-healthy --json --timeout 5");
        assertThat(asked())
                .singleElement()
                .satisfies(call -> assertThat(call).contains("--wait 5").endsWith("--json"));
    }

    /** So that a new command is not forgotten above. */
    @Test
    void everyCommandHasADryRun() throws Exception {
        Set<String> told = new TreeSet<>();
        Matcher line = Pattern.compile("(?m)^  ([a-z-]+)|^  [a-z]+ N \\| ([a-z]+) N")
                .matcher(cluster("--help").out());
        while (line.find()) {
            told.add(line.group(1) != null ? line.group(1) : line.group(2));
        }
        Set<String> tried = new TreeSet<>();
        dryCommands().forEach(command -> tried.add(command.split(" ")[0]));
        assertThat(tried).containsAll(told).contains("stop", "resume");
        assertThat(told).contains("deploy", "format", "run", "logs", "quorum");
    }

    @Test
    void aNodeThatRunsAndIsNotReadyIsWaitedFor() throws Exception {
        runs(1, false);
        Result waiting = cluster("start 1");
        assertThat(waiting.status()).isEqualTo(1);
        assertThat(waiting.err()).contains("node 1 is not ready after 1 s");
        Files.writeString(data.resolve("logs/node-1/stdout.log"), "TIDEMARK READY node=1\n");
        Result ready = cluster("start 1");
        assertThat(ready.status()).as(ready.err()).isZero();
        assertThat(ready.out()).contains("node 1 (broker) is running already");
    }

    @Test
    void aControllerThatRunsIsNotFormattedUnderIt() throws Exception {
        members(101, 102, 103);
        answer("may-join", "new\n");
        runs(104, true);
        Result result = cluster("quorum add 104");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("node 104 is running, process").contains("stop it first");
        assertThat(asked()).noneMatch(call -> call.startsWith("FormatMain"));
    }

    @Test
    void addedIsWhoIsAMember() throws Exception {
        members(101, 102, 103);
        answer("may-join", "new\n");
        runs(104, true);
        Path directory = Files.createDirectories(data.resolve("c104"));
        Files.writeString(directory.resolve("meta.properties"), "");
        Files.writeString(directory.resolve("quorum.joining"), "");
        Result result = cluster("quorum add 104");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("controller 104 runs, and is no member of the quorum");
        members(101, 102, 103, 104);
        Result added = cluster("quorum add 104");
        assertThat(added.status()).as(added.err()).isZero();
        assertThat(added.out()).contains("controller 104 is a member of the quorum");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1O3 104", "--force 104", "999 104", "104 104", "103 105", "103 104 104"})
    void aMistakeInAReplaceIsFoundBeforeAnythingIsDone(String arguments) throws Exception {
        members(101, 102, 103);
        answer("may-join", "new\n");
        answer("remove", "");
        Result result = cluster("quorum replace " + arguments);
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isNotEmpty();
        assertThat(asked()).allMatch(call -> call.startsWith("QuorumMain members"));
    }

    @Test
    void aReplaceThatWasBrokenOffGoesOn() throws Exception {
        members(101, 102, 103, 104);
        answer("remove", "controller 103 is no member any more\n");
        runs(104, true);
        Files.createDirectories(data.resolve("c103"));
        Result result = cluster("quorum replace 103 104");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(asked())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("QuorumMain remove")
                .contains(" 103");
        assertThat(data.resolve("c103/quorum.removed")).exists();
    }

    @Test
    void anImageThatIsRefusedLeavesEverythingAsItWas() throws Exception {
        Files.writeString(folder.resolve("image"), "");
        Map<String, String> before = files();
        Result result = cluster("format --from-image " + folder.resolve("image"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("nothing was formatted");
        assertThat(asked()).hasSize(1).first().asString().startsWith("QuorumMain check-image ");
        Files.delete(folder.resolve("asked"));
        assertThat(files()).isEqualTo(before);
    }

    /** Those that were formatted as founders are marked before the first of them is filled. */
    @Test
    void whereMakingAQuorumIsBrokenOffNobodyFoundsAnEmptyOne() throws Exception {
        Files.writeString(folder.resolve("image"), "");
        answer("check-image", "");
        answer("format", "");
        for (int id : new int[] {101, 102}) {
            Path directory = Files.createDirectories(data.resolve("c" + id));
            Files.writeString(directory.resolve("meta.properties"), "");
        }
        Result result = cluster("format --from-image " + folder.resolve("image"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(asked()).hasSize(4);
        assertThat(asked().get(1)).startsWith("FormatMain format").contains("--awaiting-image", "node-104");
        assertThat(asked().get(2)).startsWith("FormatMain format").doesNotContain("--awaiting-image");
        assertThat(asked().get(3)).startsWith("QuorumMain new-quorum");
        assertThat(data.resolve("c101/quorum.awaiting-image")).exists();
        assertThat(data.resolve("c102/quorum.awaiting-image")).exists();
    }

    /** The other machine is a stand-in for ssh that gives its last argument to a shell, as sshd does. */
    @Test
    void controllersOfOtherMachinesAreMarkedToo() throws Exception {
        script("ssh", "for last; do :; done", "exec sh -c \"$last\"");
        Path far = Files.createDirectories(folder.resolve("far/c105"));
        Files.writeString(far.resolve("meta.properties"), "");
        Files.createDirectories(folder.resolve("there/current"));
        Files.createSymbolicLink(folder.resolve("there/current/bin"), ROOT.resolve("scripts"));
        Files.write(
                inventory,
                List.of(
                        "host 192.0.2.1 install=" + folder.resolve("there") + " data=" + far.getParent(),
                        "101 controller 127.0.0.1 1 c101",
                        "105 controller 192.0.2.1 2 c105"));
        Files.writeString(folder.resolve("image"), "");
        answer("check-image", "");
        answer("format", "");
        Result result = cluster("format --from-image " + folder.resolve("image"));
        assertThat(result.status()).isEqualTo(1);
        assertThat(asked()).last().asString().startsWith("QuorumMain new-quorum");
        assertThat(far.resolve("quorum.awaiting-image")).exists();
    }

    @Test
    void aUnitKnowsTheJavaThatIsOnlyOnThePath() throws Exception {
        environment.put("JAVA_HOME", "");
        Result result = cluster("unit 1");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("Environment=\"JAVA_HOME=" + folder.resolve("jdk") + "\"\n");
    }

    /** Whoever has just the tarball finds what its pages name. */
    @Test
    void theTarballNamesNothingThatIsNotInIt() throws Exception {
        Path jar = Files.write(folder.resolve("some.jar"), new byte[0]);
        Path tarball = folder.resolve("out.tar.gz");
        run(Map.of("TIDEMARK_CLASSPATH", jar.toString()), ROOT.resolve("scripts/dist.sh"), "--out", tarball);
        Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
        run(Map.of(), "-c", "tar -xzf '" + tarball + "' -C '" + unpacked + "' --strip-components=1");
        Pattern name = Pattern.compile("(docs|bin|scripts|config)/[A-Za-z0-9-]+\\.(md|sh|properties|conf)");
        for (String page : List.of("README", "docs/OPERATIONS", "docs/QUORUM", "docs/METRICS", "docs/METADATA-LOG")) {
            for (String line : Files.readAllLines(unpacked.resolve(page + ".md"))) {
                Matcher names = name.matcher(line);
                while (names.find()) {
                    assertThat(Files.exists(unpacked.resolve(names.group()))
                                    || line.contains("source tree")
                                    || Set.of("scripts/kafka.sh", "scripts/dist.sh", "scripts/drill.sh")
                                            .contains(names.group()))
                            .as(page + ": " + line)
                            .isTrue();
                }
            }
        }
        assertThat(run(Map.of(), unpacked.resolve("bin/cluster.sh"), "--help")).contains("usage: bin/cluster.sh");
    }

    private String run(Map<String, String> more, Object... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash"));
        Stream.of(words).map(Object::toString).forEach(command::add);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(more);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }

    @ParameterizedTest
    @ValueSource(strings = {"--no-such-option", "no-such-command", "--dir", "--node", "--inventory", ""})
    void theLogToolEndsWithTwoWhereItIsMisused(String argument) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("bash", ROOT.resolve("scripts/metadata-log.sh").toString()));
        words.addAll(argument.isEmpty() ? List.of() : List.of(argument));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isNotEmpty();
        assertThat(process.waitFor()).isEqualTo(2);
    }
}
