package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.tidemark.broker.drill.run.Network.Cable;
import io.tidemark.broker.drill.run.Network.Quality;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a drill does to running nodes really happens, seen from a socket, a file and a clock. Needs root, ip, Python 3 with
 * fusepy, and libfaketime; without them it fails, unless {@code tidemark.hosts.omit} or {@code tidemark.fuse.omit} is true.
 */
class DisturbancesTest {
    private static final Path PROGRAMS =
            Path.of("..", "scripts", "drill").toAbsolutePath().normalize();
    private static final int PORT = 5555;

    /** What may have been asked again before the answer came, or was sent in numbers. */
    private static final List<String> REPEATED = List.of("late", "fast", "lossy");

    /** Answers a datagram with how many it has got; a stream with its digest, when it has ended. */
    private static final String SERVER = """
            import hashlib, select, socket
            datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            datagrams.bind(("", 5555))
            streams = socket.create_server(("", 5555))
            got = 0
            print("ready", flush=True)
            while True:
                for ready in select.select([datagrams, streams], [], [])[0]:
                    if ready is datagrams:
                        text, sender = datagrams.recvfrom(2000)
                        got += 1
                        datagrams.sendto(b"%s %d" % (text, got), sender)
                    else:
                        stream, _ = streams.accept()
                        digest = hashlib.sha256()
                        while data := stream.recv(1 << 16):
                            digest.update(data)
                        stream.sendall(digest.hexdigest().encode())
                        stream.close()
            """;

    @TempDir
    Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** Paths may hold anything. */
    @BeforeEach
    void aDirectoryWithBlanks() throws IOException {
        directory = Files.createDirectory(directory.resolve("a drill's # files"));
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    @Test
    void aCableIsCutInOneDirectionDelaysAndLoses() throws Exception {
        assumeFalse(Boolean.getBoolean("tidemark.hosts.omit"), "left out by tidemark.hosts.omit");
        long pid = ProcessHandle.current().pid();
        Network network = new Network(
                "t" + Long.toString(pid % 40_000, 36) + "n", (int) (pid % 20) * 2 + 200, PROGRAMS, directory);
        opened.add(network);
        // Two, or the switch would be without any cable when one is bad.
        network.build(List.of(1, 2));
        Process server = launch(new Surroundings(network, null, null), "python3", "-c", SERVER);
        assertThat(new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))
                        .readLine())
                .isEqualTo("ready");
        DatagramSocket socket = new DatagramSocket();
        opened.add(socket);
        socket.connect(InetAddress.getByName(network.address(1)), PORT);

        assertThat(ask(socket, "before")).isEqualTo(1);

        network.impair(Cable.BROKERS, 1, Quality.CUT, Quality.GOOD, false);
        send(socket, 100, "deaf");
        network.plug(1);
        assertThat(ask(socket, "heard"))
                .as("nothing reached it, and nothing comes late")
                .isEqualTo(2);

        network.impair(Cable.BROKERS, 1, Quality.GOOD, Quality.CUT, false);
        send(socket, 100, "mute");
        await().atMost(Duration.ofSeconds(20)).until(() -> answered(network) >= 102);
        network.plug(1);
        assertThat(ask(socket, "answered"))
                .as("all reached it, and no answer came")
                .isEqualTo(103);

        network.impair(Cable.BROKERS, 1, Quality.CUT, Quality.CUT, true);
        sendFromNode(2, network);
        assertThat(ask(socket, "client"))
                .as("clients go on, and nothing of the other broker reached it")
                .isEqualTo(104);
        network.plug(1);
        sendFromNode(2, network);
        await().atMost(Duration.ofSeconds(20)).until(() -> ask(socket, "late") >= 125);

        network.impair(Cable.BROKERS, 1, new Quality(150, 0), new Quality(250, 0), false);
        long before = System.nanoTime();
        assertThat(ask(socket, "late")).isGreaterThanOrEqualTo(125);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(400));
        network.plug(1);
        int count = ask(socket, "fast");

        network.impair(Cable.BROKERS, 1, new Quality(1, 50), Quality.GOOD, false);
        send(socket, 200, "lossy");
        // Frames keep their order: when this one is answered, all before it came or are lost.
        assertThat(ask(socket, "after") - count)
                .as("half of two hundred, and a few")
                .isBetween(60, 145);

        network.impair(Cable.BROKERS, 1, new Quality(2, 1), new Quality(2, 1), false);
        assertAStreamArrivesWhole(network.address(1));
    }

    /** Twenty datagrams to node 1. */
    private static void sendFromNode(int node, Network network) {
        String program = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                + "[s.sendto(b'broker', ('" + network.address(1) + "', " + PORT + ")) for _ in range(20)]";
        Tool.output(List.of("sh", "-c", "node=" + node + "; " + network.words() + " python3 -c \"" + program + "\""));
    }

    /** Datagrams that the node has sent, from the kernel's own count. */
    private static int answered(Network network) {
        String text = Tool.output(List.of("sh", "-c", "node=1; " + network.words() + " cat /proc/net/snmp"));
        List<String> rows = text.lines().filter(line -> line.startsWith("Udp:")).toList();
        return Integer.parseInt(rows.get(1).split(" ")[4]);
    }

    private static void assertAStreamArrivesWhole(String address) throws Exception {
        byte[] data = new byte[3_000_000];
        new Random(1).nextBytes(data);
        try (Socket stream = new Socket()) {
            stream.connect(new InetSocketAddress(address, PORT), 30_000);
            stream.setSoTimeout(60_000);
            stream.getOutputStream().write(data);
            stream.shutdownOutput();
            assertThat(new String(stream.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(data)));
        }
    }

    private static void send(DatagramSocket socket, int count, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < count; i++) {
            socket.send(new DatagramPacket(bytes, bytes.length));
        }
    }

    /** Asks with a word of its own until it is answered; answers to anything else that come first are an error. */
    private static int ask(DatagramSocket socket, String word) throws IOException {
        socket.setSoTimeout(2_000);
        for (int attempt = 0; attempt < 25; attempt++) {
            send(socket, 1, word);
            byte[] buffer = new byte[2000];
            DatagramPacket answer = new DatagramPacket(buffer, buffer.length);
            try {
                String[] words;
                do {
                    socket.receive(answer);
                    words = new String(buffer, 0, answer.getLength(), StandardCharsets.UTF_8).split(" ");
                } while (!words[0].equals(word) && REPEATED.contains(words[0]));
                assertThat(words[0]).isEqualTo(word);
                return Integer.parseInt(words[1]);
            } catch (SocketTimeoutException e) {
                continue;
            }
        }
        throw new AssertionError("no answer to " + word);
    }

    @Test
    void aDiskIsSlowWhileItIsToldToBeAndKeepsWhatIsWritten() throws Exception {
        assumeFalse(Boolean.getBoolean("tidemark.fuse.omit"), "left out by tidemark.fuse.omit");
        Path place = Files.createDirectory(directory.resolve("place"));
        Path mount = directory.resolve("node");
        SlowDisks disks = new SlowDisks(PROGRAMS, place);
        disks.mount(1, mount);
        opened.add(() -> Tool.output(List.of("umount", mount.toString())));
        Path file = mount.resolve("log");

        Duration fast = writeAndSync(file, "first");
        disks.delay(1, 1500);
        assertThat(writeAndSync(file, "second")).isGreaterThanOrEqualTo(Duration.ofMillis(3000));
        long before = System.nanoTime();
        assertThat(file).content().isEqualTo("firstsecond");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).as("reading").isLessThan(Duration.ofMillis(1500));
        disks.delay(1, 0);
        assertThat(writeAndSync(file, "third")).isLessThan(Duration.ofMillis(3000));
        assertThat(fast).isLessThan(Duration.ofMillis(3000));
        assertThat(place.resolve("disk-1").resolve("log")).content().isEqualTo("firstsecondthird");
    }

    private static Duration writeAndSync(Path file, String text) throws IOException {
        long before = System.nanoTime();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            channel.force(true);
        }
        return Duration.ofNanos(System.nanoTime() - before);
    }

    @Test
    void aWallClockJumpsBothWaysAndTheCountingClockGoesOn() throws Exception {
        Clocks clocks = new Clocks(directory, List.of(1));
        Process probe = launch(
                new Surroundings(null, null, clocks),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ClockProbe.class.getName());
        BufferedReader out = new BufferedReader(new InputStreamReader(probe.getInputStream(), StandardCharsets.UTF_8));
        PrintStream in = new PrintStream(probe.getOutputStream(), true, StandardCharsets.UTF_8);
        long right = wallMinusCounting(in, out);
        assertThat(right).as("no jump yet").isCloseTo(ownWallMinusCounting(), within(60_000L));

        clocks.jump(1, 3_600_000);
        awaitOffset(in, out, right + 3_600_000);
        clocks.jump(1, -7_200_000);
        awaitOffset(in, out, right - 3_600_000);
        clocks.restore(1);
        awaitOffset(in, out, right);
    }

    /** A counting clock that jumped with the other would leave the difference as it was. */
    private static void awaitOffset(PrintStream in, BufferedReader out, long expected) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(wallMinusCounting(in, out)).isCloseTo(expected, within(60_000L)));
    }

    private static long wallMinusCounting(PrintStream in, BufferedReader out) throws IOException {
        in.println();
        String[] clocks = out.readLine().split(" ");
        assertThat(Long.parseLong(clocks[2])).as("a wait").isGreaterThanOrEqualTo(ClockProbe.WAIT_MS - 5);
        return Long.parseLong(clocks[0]) - Long.parseLong(clocks[1]);
    }

    private static long ownWallMinusCounting() {
        return System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private Process launch(Surroundings surroundings, String... command) throws IOException {
        List<String> words =
                new ArrayList<>(List.of(surroundings.launcher(directory).toString(), "1"));
        words.addAll(List.of(command));
        Process process = new ProcessBuilder(words)
                .redirectError(directory.resolve("stderr").toFile())
                .start();
        opened.add(() -> process.destroyForcibly().waitFor());
        return process;
    }
}
