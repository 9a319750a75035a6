package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One node each on six machines that only ssh reaches: network namespaces with an address and an sshd of their own. Needs
 * root, ip and sshd; without them it fails, unless {@code tidemark.hosts.omit} is true.
 */
class SixHostsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path SCRIPTS = ROOT.resolve("scripts");

    /** What only tests need of the class path; left out, since six machines get a copy. */
    private static final List<String> NOT_DEPLOYED =
            List.of("test-classes", "-tests.jar", "jazzer", "byte-buddy", "archunit", "junit", "jqwik", "assertj");

    private final String lab = "tm" + ProcessHandle.current().pid();

    /** Not in the temporary directory: the path of a socket has to be short. */
    private final Path connections = Path.of("/tmp", lab);

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws Exception {
        assumeFalse(Boolean.getBoolean("tidemark.hosts.omit"), "left out by tidemark.hosts.omit");
        Run up = lab("up", directory.resolve("keys").toString(), lab);
        assertThat(up.status()).as(up.output()).isZero();
    }

    @AfterEach
    void stop() throws Exception {
        if (Boolean.getBoolean("tidemark.hosts.omit")) {
            return;
        }
        Run down = lab("down", directory.resolve("keys").toString(), lab);
        if (Files.exists(connections)) {
            try (Stream<Path> left = Files.list(connections)) {
                for (Path socket : left.toList()) {
                    Files.delete(socket);
                }
            }
            Files.delete(connections);
        }
        assertThat(down.status()).as(down.output()).isZero();
    }

    @Test
    void deployedOperatedAndRolledOverSsh() throws Exception {
        Path tarball = directory.resolve("tidemark.tar.gz");
        Run dist = run(
                Map.of("TIDEMARK_CLASSPATH", deployedClassPath()),
                SCRIPTS.resolve("dist.sh").toString(),
                "--out",
                tarball.toString());
        assertThat(dist.status()).as(dist.output()).isZero();
        writeInventory();
        for (int version = 1; version <= 3; version++) {
            Path earlier = Files.createDirectories(installation(4).resolve("earlier-" + version));
            assertThat(earlier.toFile().setLastModified(version * 1_000_000_000L))
                    .isTrue();
        }
        succeeds("deploy", "--tarball", tarball.toString(), "--start");
        theUnitFits();
        nodesStartFromRecordedClasses();
        assertThat(installation(4).toFile().list()).hasSize(3).contains("earlier-2", "earlier-3");
        List<String> acked = new ArrayList<>(client("write", "0", "300", "orders", "3"));
        assertThat(acked).hasSize(300);

        long before = process(2);
        Run rolled = succeeds("roll", "2");
        assertThat(rolled.output()).contains("node 2 is safe to stop", "rolled 1 nodes", "restarted, healthy after");
        long after = process(2);
        assertThat(after).isNotEqualTo(before);

        lab("unplug", lab, "6");
        Run unsafe = cluster("safe-to-stop", "2");
        assertThat(unsafe.status()).as(unsafe.output()).isEqualTo(1);
        assertThat(unsafe.output()).contains("UNSAFE orders-0", "min ISR is 2");
        acked.addAll(client("write", "300", "400", "single", "1"));
        Run status = cluster("status");
        assertThat(status.output())
                .as("one machine that is away hides no other")
                .contains("10.99.0.6: cannot be reached over ssh")
                .containsPattern("\n3 +broker +10.99.0.6:19092 +unreachable");
        lab("plug", lab, "6");
        succeeds("wait-healthy");

        Run refused = cluster("roll", "2");
        assertThat(refused.status())
                .as("broker 2 has a partition alone: " + refused.output())
                .isEqualTo(1);
        assertThat(refused.output())
                .contains("UNSAFE single-", "it has no other replica", "2      broker      not restarted");
        Run dry = succeeds("--dry-run", "stop", "2");
        assertThat(dry.output()).startsWith("ssh ").contains("10.99.0.5", "stop 2");
        assertThat(process(2)).as("refused, and a dry run").isEqualTo(after);
        assertThat(client("read")).containsExactlyInAnyOrderElementsOf(acked);

        Run down = succeeds("down");
        assertThat(down.output().lines()).hasSize(6).allMatch(line -> line.startsWith("stopped: "));
        assertThat(cluster("stop", "2").output()).contains("10.99.0.5: ", "node 2 is not running");
    }

    private Path installation(int machine) {
        return directory.resolve("machine-" + machine + "/install/versions");
    }

    private void nodesStartFromRecordedClasses() throws IOException {
        for (String role : List.of("controller", "broker")) {
            int machine = role.equals("controller") ? 2 : 5;
            long node = role.equals("controller") ? process(machine, 102) : process(2);
            Path archive = installation(machine).getParent().resolve("current/archives/" + role + ".jsa");
            assertThat(archive).isNotEmptyFile();
            assertThat(Files.readString(Path.of("/proc/" + node + "/cmdline")))
                    .contains("-XX:SharedArchiveFile=" + archive.toRealPath());
        }
    }

    private void theUnitFits() throws IOException {
        Path machine = directory.resolve("machine-4");
        assertThat(Files.readString(machine.resolve("data/config/tidemark-data-1.service")))
                .contains(
                        "ExecStart=\"" + machine.resolve("install/current/bin/cluster.sh") + "\" --inventory \""
                                + machine.resolve("data/inventory.conf") + "\" --data \"" + machine.resolve("data")
                                + "\" run 1\n",
                        "Restart=on-failure\n",
                        "TimeoutStopSec=32\n");
    }

    private long process(int broker) throws IOException {
        return process(3 + broker, broker);
    }

    private long process(int machine, int node) throws IOException {
        return Long.parseLong(
                Files.readString(directory.resolve("machine-" + machine + "/data/run/node-" + node + ".pid"))
                        .strip());
    }

    private void writeInventory() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("host all user=root port=2222 java_home=" + System.getProperty("java.home"));
        lines.add("host all identity=" + directory.resolve("keys/operator") + " known_hosts="
                + directory.resolve("keys/known_hosts"));
        for (int n = 1; n <= 6; n++) {
            Path machine = directory.resolve("machine-" + n);
            lines.add("host 10.99.0." + n + " install=" + machine.resolve("install") + " data="
                    + machine.resolve("data"));
            lines.add(
                    n <= 3
                            ? "10" + n + " controller 10.99.0." + n + " 19101 controller"
                            : n - 3 + " broker 10.99.0." + n + " 19092 broker");
        }
        lines.add("set all default.replication.factor=3");
        lines.add("set all min.insync.replicas=2");
        lines.add("set all controlled.shutdown.max.wait.ms=2000");
        Files.write(directory.resolve("six.conf"), lines);
    }

    /** What runs a node, as jars and folders, with the native library of this machine's kind only. */
    private String deployedClassPath() throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (NOT_DEPLOYED.stream().noneMatch(entry::contains)) {
                entries.add(entry.contains("rocksdbjni") ? slim(Path.of(entry)).toString() : entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private Path slim(Path jar) throws IOException {
        String wanted = System.getProperty("os.arch").equals("amd64") ? "linux64" : System.getProperty("os.arch");
        Path slim = directory.resolve(jar.getFileName());
        try (ZipFile all = new ZipFile(jar.toFile());
                OutputStream file = Files.newOutputStream(slim);
                ZipOutputStream some = new ZipOutputStream(file)) {
            some.setLevel(1);
            for (ZipEntry entry : Collections.list(all.entries())) {
                if (!entry.getName().startsWith("librocksdbjni")
                        || entry.getName().contains(wanted)) {
                    some.putNextEntry(new ZipEntry(entry.getName()));
                    try (InputStream content = all.getInputStream(entry)) {
                        content.transferTo(some);
                    }
                }
            }
        }
        return slim;
    }

    private List<String> client(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                lab + "-0",
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SixHostsClient.class.getName(),
                IntStream.rangeClosed(4, 6)
                        .mapToObj(n -> "10.99.0." + n + ":19092")
                        .collect(Collectors.joining(","))));
        command.addAll(List.of(arguments));
        Run client = run(Map.of(), command.toArray(String[]::new));
        assertThat(client.status()).as(client.output()).isZero();
        return client.output().lines().filter(line -> line.matches("[0-9]+")).toList();
    }

    private record Run(int status, String output) {}

    private Run succeeds(String... arguments) throws Exception {
        Run run = cluster(arguments);
        assertThat(run.status()).as(run.output()).isZero();
        return run;
    }

    /** The operator's script, on the operator's machine. */
    private Run cluster(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                lab + "-0",
                SCRIPTS.resolve("cluster.sh").toString(),
                "--inventory",
                directory.resolve("six.conf").toString(),
                "--data",
                directory.resolve("operator").toString()));
        command.addAll(List.of(arguments));
        return run(
                Map.of(
                        "TIDEMARK_CLASSPATH", System.getProperty("java.class.path"),
                        "TIDEMARK_SSH_OPTS", "-F none",
                        "TIDEMARK_SSH_TIMEOUT_S", "2",
                        "TIDEMARK_SSH_CONTROL_DIR", connections.toString(),
                        "TIDEMARK_JVM_OPTS", "-XX:TieredStopAtLevel=1"),
                command.toArray(String[]::new));
    }

    private Run lab(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of("src/test/resources/six-hosts.sh").toAbsolutePath().toString()));
        command.addAll(List.of(arguments));
        return run(Map.of(), command.toArray(String[]::new));
    }

    private Run run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        File output = File.createTempFile("run", ".out", directory.toFile());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS))
                .as(List.of(command).toString())
                .isTrue();
        return new Run(process.exitValue(), Files.readString(output.toPath()));
    }
}
