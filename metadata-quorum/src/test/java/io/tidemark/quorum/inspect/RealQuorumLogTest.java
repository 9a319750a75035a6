package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.config.DirectoryIdentity;
import io.tidemark.model.config.HistoryConfig;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.NodeFiles;
import io.tidemark.quorum.files.SegmentFile;
import io.tidemark.quorum.ratis.HarnessClient;
import io.tidemark.quorum.ratis.NewQuorum;
import io.tidemark.quorum.ratis.QuorumHarness;
import io.tidemark.quorum.ratis.QuorumServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tool on what a real quorum wrote: running, killed, purged, replaced. */
class RealQuorumLogTest {
    @TempDir
    private Path folder;

    private final Map<Integer, Long> epochs = new HashMap<>();
    /** Digests of the state by index, as the controllers had them. */
    private final TreeMap<Long, Long> digests = new TreeMap<>();

    private QuorumHarness quorum;
    private HarnessClient client;
    /** Accepts for all brokers, so that they are not taken for gone. */
    private ServerSocket listener;

    @AfterEach
    void nothingFailed() throws IOException {
        client.close();
        quorum.close();
        listener.close();
        assertThat(quorum.failures()).isEmpty();
    }

    private void start(HistoryConfig history) throws IOException {
        start(history, QuorumHarness.RPC);
    }

    private void start(HistoryConfig history, QuorumRpc rpc) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        quorum = QuorumHarness.withCoreThatPurges(folder, 3, history, rpc);
        quorum.leader();
        client = new HarnessClient(quorum);
        for (int id = 1; id <= 3; id++) {
            register(id, "first");
        }
        run(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic("orders", -1, -1, List.of(List.of(1, 2, 3)), Map.of())),
                false,
                "admin"));
    }

    private void register(int id, String incarnation) throws IOException {
        QuorumReply.Answer answer = client.submit(new QuorumCommand.RegisterBroker(
                quorum.clusterId(),
                id,
                incarnation,
                List.of("directory-" + id),
                List.of(new Endpoint("PLAINTEXT", "127.0.0.1", listener.getLocalPort())),
                "",
                -1,
                "boot",
                true,
                1,
                1,
                List.of()));
        epochs.put(id, answer.brokerEpoch());
        run(new QuorumCommand.UnfenceBroker(ref(id)));
    }

    private BrokerRef ref(int id) {
        return new BrokerRef(id, epochs.get(id));
    }

    private long run(QuorumCommand command) throws IOException {
        QuorumReply.Answer answer = client.submit(command);
        assertThat(answer.error()).isEqualTo(ErrorCode.NONE);
        for (QuorumServer server : quorum.servers()) {
            ClusterImage image = server.image();
            if (image.index() == answer.index()) {
                digests.put(answer.index(), image.digest());
            }
        }
        return answer.index();
    }

    private void fill(int entries) throws IOException {
        for (int i = 0; i < entries; i++) {
            run(new QuorumCommand.AllocateProducerIds(3, epochs.get(3)));
        }
    }

    private void killAll() {
        quorum.voters().forEach(voter -> quorum.kill(voter.id()));
    }

    private Path directory(int place) {
        return quorum.directory(quorum.voters().get(place).id());
    }

    private Tool live(String command, Object... more) {
        return Tool.run(arguments(command, more));
    }

    private Object[] arguments(String command, Object... more) {
        List<Object> words = new ArrayList<>(List.of(command));
        words.add("--controllers");
        words.add(quorum.voters().stream().map(QuorumVoter::toString).collect(Collectors.joining(",")));
        words.add("--cluster-id");
        words.add(quorum.clusterId());
        words.addAll(List.of("--rpc", quorum.rpc().name().toLowerCase(Locale.ROOT)));
        words.addAll(List.of(more));
        return words.toArray();
    }

    private static long firstOfLog(Path directory) throws IOException {
        return NodeFiles.scan(directory).segments().stream()
                .filter(segment -> segment.path().getParent().endsWith("current"))
                .mapToLong(SegmentFile::first)
                .min()
                .orElseThrow();
    }

    @Test
    void everyPointOfAPurgedLogIsStillThere() throws Exception {
        start(HistoryConfig.DEFAULT);
        for (int round = 0; round < 3; round++) {
            fill(60);
            quorum.converged();
            quorum.takeSnapshots();
        }
        long fenced = run(new QuorumCommand.FenceBrokers(List.of(ref(1)), "process gone, connection refused twice"));
        quorum.converged();
        int leader = quorum.leader().nodeId();
        Awaitility.await("purged by Ratis").until(() -> firstOfLog(directory(0)) > 0);

        // Running: the same answers from its files as over the network.
        Tool fromFiles = Tool.run("why", "--dir", directory(0), "orders", "0");
        Tool overNetwork = live("why", "orders", "0");
        assertThat(fromFiles.out())
                .contains(
                        "broker 1 lost: process gone, connection refused twice; fenced by controller " + leader
                                + "; leader 1 -> 2, epoch 0 -> 1; ISR 1,2,3 -> 2,3;",
                        "[" + fenced + "]",
                        "now: leader 2");
        assertThat(overNetwork).isEqualTo(fromFiles);
        assertThat(live("verify").status()).isZero();
        assertThat(live("verify").out()).contains("the 3 controllers agree");

        killAll();
        assertThat(Tool.run("verify", "--dir", directory(0), "--dir", directory(1), "--dir", directory(2))
                        .out())
                .contains("the 3 controllers agree", "sound");
        for (Map.Entry<Long, Long> point : digests.entrySet()) {
            if (point.getKey() % 7 == 0 || point.getKey() == fenced) {
                assertThat(Tool.run("show", "--dir", directory(1), "--at", point.getKey())
                                .out())
                        .as("at %d", point.getKey())
                        .contains(String.format("digest %016x", point.getValue()));
            }
        }
        assertThat(Tool.run("diff", directory(0), directory(2)).out())
                .contains("the entries that both have are the same");
        assertThat(Tool.run("dump", "--dir", directory(2), "--kind", "BrokerFenced", "--json")
                        .lines())
                .singleElement()
                .asString()
                .contains("\"index\":" + fenced, "{\"kind\":\"BrokerFenced\",\"broker\":1,");
    }

    @Test
    void aControllerThatWasAwayKeepsWhatItHadAndSaysWhatItLacks() throws Exception {
        start(HistoryConfig.DEFAULT);
        int away = quorum.follower().nodeId();
        fill(20);
        quorum.converged();
        long had = quorum.server(away).image().index();
        quorum.kill(away);
        fill(150);
        quorum.converged();
        quorum.takeSnapshots();
        Awaitility.await("purged by Ratis")
                .until(() -> firstOfLog(quorum.directory(quorum.leader().nodeId())) > had);
        quorum.startNode(away);
        quorum.converged();
        Tool tool = Tool.run("verify", "--dir", quorum.directory(away));
        assertThat(tool.err())
                .contains("the controller was away and was given the snapshot at")
                .doesNotContain("damage");
        assertThat(tool.status()).isZero();
        assertThat(Tool.run("why", "--dir", quorum.directory(away), "orders", "0")
                        .out())
                .contains("created by client admin", "is not known", "known from here on");
        assertThat(Tool.run("show", "--dir", quorum.directory(away), "--at", digests.firstKey())
                        .out())
                .contains(String.format("digest %016x", digests.firstEntry().getValue()));
    }

    @Test
    void whatIsKeptIsBounded() throws Exception {
        start(new HistoryConfig(-1, 20_000));
        for (int round = 0; round < 4; round++) {
            fill(100);
            quorum.converged();
            quorum.takeSnapshots();
        }
        try (Stream<Path> kept = Files.list(directory(0).resolve(NodeFiles.HISTORY))) {
            assertThat(kept.mapToLong(file -> file.toFile().length()).sum()).isBetween(1L, 20_000L);
        }
        Tool tool = Tool.run("show", "--dir", directory(0), "--at", digests.firstKey());
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("the state is not known there (history begins at index ");
        assertThat(Tool.run("verify", "--dir", directory(0)).status()).isZero();
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    @Timeout(180)
    void watchShowsWhatCommitsAndExportWhatThereIs(QuorumRpc rpc) throws Exception {
        start(HistoryConfig.DEFAULT, rpc);
        CompletableFuture<Tool> watching =
                CompletableFuture.supplyAsync(() -> live("watch", "--kind", "FenceBrokers", "--count", "1"));
        // Watching begins some time; until then it is asked for again and again.
        int incarnation = 0;
        while (!watching.isDone()) {
            run(new QuorumCommand.FenceBrokers(List.of(ref(2)), "asked by a test"));
            register(2, "again-" + incarnation++);
        }
        assertThat(watching.get().out()).contains("asked by a test", "BrokerFenced broker=2");

        quorum.converged();
        Path image = folder.resolve("image");
        assertThat(live("export", "--at", digests.lastKey(), image).out())
                .contains(
                        "index " + digests.lastKey(),
                        String.format("%016x", digests.lastEntry().getValue()));
        assertThat(image).exists();
        assertThat(live("export", image).err()).contains("is there already");
        assertThat(live("show", "--controller", "999").err()).contains("there is no controller 999");
        assertThat(live("verify").out()).contains("the 3 controllers agree");
    }

    /** The one that is watched is the first that answers. */
    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    @Timeout(180)
    void watchGoesOnWhenItsControllerEnds(QuorumRpc rpc) throws Exception {
        start(HistoryConfig.DEFAULT, rpc);
        Pipe out = new Pipe();
        CompletableFuture<Tool> watching =
                CompletableFuture.supplyAsync(() -> Tool.run(out, arguments("watch", "--kind", "FenceBrokers")));
        int incarnation = 0;
        while (!out.toString(StandardCharsets.UTF_8).contains("asked by a test")) {
            run(new QuorumCommand.FenceBrokers(List.of(ref(2)), "asked by a test"));
            register(2, "again-" + incarnation++);
        }
        quorum.kill(quorum.voters().get(0).id());
        run(new QuorumCommand.FenceBrokers(List.of(ref(3)), "asked behind that"));
        Awaitility.await("what came behind that")
                .atMost(QuorumHarness.PATIENCE)
                .until(() -> out.toString(StandardCharsets.UTF_8).contains("asked behind that"));
        assertThat(watching).isNotDone();
        out.closed = true;
        run(new QuorumCommand.FenceBrokers(List.of(ref(1)), "for nobody to read"));
        Tool tool = watching.get(60, TimeUnit.SECONDS);
        String first = "controller " + quorum.voters().get(0).id();
        assertThat(tool.err()).contains(first + " (", "does not answer any more", "going on with controller ");
        List<Long> indices = out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("asked "))
                .map(line -> Long.parseLong(line.strip().split(" +")[0]))
                .toList();
        assertThat(indices).hasSizeGreaterThan(1).isSorted().doesNotHaveDuplicates();
    }

    /** Into which nothing can be written once its reader has gone. */
    private static final class Pipe extends ByteArrayOutputStream {
        private volatile boolean closed;

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (closed) {
                throw new UncheckedIOException(new IOException("broken pipe"));
            }
            super.write(bytes, offset, length);
        }
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void imagesThatDoNotFitAMessageAreReadInParts(QuorumRpc rpc) throws Exception {
        start(HistoryConfig.DEFAULT, rpc);
        List<List<Integer>> lists = Collections.nCopies(200, List.of(1, 2, 3));
        run(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic("many", -1, -1, lists, Map.of())), false, "admin"));
        quorum.converged();
        quorum.takeSnapshots();
        long last = run(new QuorumCommand.FenceBrokers(List.of(ref(2)), "asked by a test"));
        quorum.converged();
        String digest = String.format("digest %016x", digests.get(last));
        int leader = quorum.leader().nodeId();
        quorum.cutAnswers(1_000, 700);
        // The image at the snapshot, with what came after it folded in by the tool.
        assertThat(live("show", "--controller", leader).out()).contains(digest, "many-199 ");
        assertThat(live("verify").out()).contains("the 3 controllers agree");
        for (StatusProbe.Result result : StatusProbe.ask(quorum.voters(), quorum.clusterId(), rpc, 30_000)) {
            assertThat(result.answer()).as("%s", result).isNotNull();
            assertThat(result.answer().image().digest()).isEqualTo(digests.get(last));
        }
        assertThat(quorum.keptAnswers(leader))
                .as("who has read all needs nothing more")
                .isZero();
    }

    @Test
    void allThatADeadControllerHasCanBeTheBeginningOfANewQuorum() throws Exception {
        start(HistoryConfig.DEFAULT);
        fill(20);
        quorum.converged();
        long applied = quorum.server(quorum.voters().get(0).id()).image().index();
        killAll();
        Path saved = Files.createDirectories(folder.resolve("saved"));
        Tool tool = Tool.run("export", "--dir", directory(0), "--all", saved);
        assertThat(tool.status()).as(tool.err()).isZero();
        Path file;
        try (Stream<Path> files = Files.list(saved)) {
            file = files.filter(path -> KeyframeFile.parse(path).isPresent())
                    .findFirst()
                    .orElseThrow();
        }
        NewQuorum.Beginning beginning = NewQuorum.Beginning.read(file, "id");
        // Entries of Ratis' own may come after the last of ours.
        assertThat(beginning.index()).isGreaterThanOrEqualTo(applied);
        assertThat(SnapshotCodec.decode(beginning.bytes()).index()).isEqualTo(applied);
    }

    @Test
    void readingTakesNoLockAndLeavesNothing() throws Exception {
        start(HistoryConfig.DEFAULT);
        killAll();
        assertThat(DirectoryIdentity.read(directory(0))).isEmpty();
        Map<Path, Long> before = files(directory(0));
        Tool.run("verify", "--dir", directory(0));
        Tool.run("dump", "--dir", directory(0));
        assertThat(files(directory(0))).isEqualTo(before);
    }

    private static Map<Path, Long> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .collect(
                            Collectors.toMap(file -> file, file -> file.toFile().lastModified()));
        }
    }
}
