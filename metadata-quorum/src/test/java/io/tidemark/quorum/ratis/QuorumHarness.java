package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.config.HistoryConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.FreePorts;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.RecoveryFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A real quorum of controllers in this process, on free ports of the loopback and files below a test's folder. */
public final class QuorumHarness implements AutoCloseable {
    /** What tests use that do not care: {@code -Dtidemark.test.quorum.rpc=netty} runs them over the other transport. */
    public static final QuorumRpc RPC = QuorumRpc.valueOf(
            System.getProperty("tidemark.test.quorum.rpc", "grpc").toUpperCase(Locale.ROOT));

    private static final int FIRST_ID = 101;
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path root;
    private final String clusterId = Uuids.random();
    private final List<QuorumVoter> voters;
    private final Function<String, DecisionMaker> decisions;
    private final NodeClock clock;
    private final UnaryOperator<QuorumSettings> adjust;
    private final QuorumRpc rpc;
    private final Map<Integer, QuorumServer> running = new TreeMap<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    /**
     * With the real rules; brokers are fenced after {@code sessionMs} of silence, 400 or more, or when their inter-broker
     * listener refuses connections and a heartbeat of every 250 ms (or quarter of a session) is missing.
     */
    public static QuorumHarness withCore(Path root, int controllers, long sessionMs) {
        return new QuorumHarness(root, controllers, core(sessionMs));
    }

    private static Function<String, DecisionMaker> core(long sessionMs) {
        return clusterId ->
                new CoreDecisions(new ControllerSettings(clusterId, 1, 1), sessionMs, Math.min(250, sessionMs / 4));
    }

    /** As {@link #withCore}, but a leader is given up only after seconds: for tests that keep the machine busy. */
    public static QuorumHarness withCoreAndPatience(Path root, int controllers, long sessionMs) {
        return new QuorumHarness(root, controllers, core(sessionMs), RPC, NodeClock.SYSTEM, patience(9_000));
    }

    /** Settings with which a leader is given up only when it has not been heard for that long, milliseconds. */
    static UnaryOperator<QuorumSettings> patience(int ms) {
        return usual -> new QuorumSettings(
                usual.nodeId(),
                usual.voters(),
                usual.clusterId(),
                usual.directory(),
                usual.rpc(),
                ms,
                ms + ms / 3,
                usual.snapshotIntervalMs(),
                usual.snapshotBytes(),
                usual.segmentBytes(),
                usual.keptEntries(),
                usual.noOpIntervalMs(),
                usual.history(),
                usual.bootstrapConfigs());
    }

    /**
     * As {@link #withCore} with long sessions, with small log files and nothing kept behind a snapshot, so that every
     * snapshot purges.
     */
    public static QuorumHarness withCoreThatPurges(Path root, int controllers, HistoryConfig history, QuorumRpc rpc) {
        return new QuorumHarness(
                root,
                controllers,
                core(3_600_000),
                rpc,
                NodeClock.SYSTEM,
                usual -> new QuorumSettings(
                        usual.nodeId(),
                        usual.voters(),
                        usual.clusterId(),
                        usual.directory(),
                        usual.rpc(),
                        usual.electionTimeoutMinMs(),
                        usual.electionTimeoutMaxMs(),
                        0,
                        1L << 40,
                        4_096,
                        1,
                        usual.noOpIntervalMs(),
                        history,
                        usual.bootstrapConfigs()));
    }

    /** {@code decisions} makes the brain of each controller, given the cluster id. */
    public QuorumHarness(Path root, int controllers, Function<String, DecisionMaker> decisions) {
        this(root, controllers, decisions, RPC, NodeClock.SYSTEM, UnaryOperator.identity());
    }

    public QuorumHarness(
            Path root,
            int controllers,
            Function<String, DecisionMaker> decisions,
            QuorumRpc rpc,
            NodeClock clock,
            UnaryOperator<QuorumSettings> adjust) {
        this.root = root;
        this.decisions = decisions;
        this.clock = clock;
        this.adjust = adjust;
        this.rpc = rpc;
        this.voters = new CopyOnWriteArrayList<>(freeVoters(FIRST_ID, controllers));
        voters.forEach(voter -> startNode(voter.id()));
        // Ratis does not count the vote of an empty log once anything is committed (it may be a wiped disk). So a
        // quorum
        // survives the loss of a controller only when the others have had their first entries.
        converged();
    }

    /** All controllers there ever were. */
    public List<QuorumVoter> voters() {
        return List.copyOf(voters);
    }

    /** One more that is not running, and no member yet. */
    public QuorumVoter another() {
        QuorumVoter voter = freeVoters(FIRST_ID + voters.size(), 1).get(0);
        voters.add(voter);
        return voter;
    }

    /** Starts a controller with an empty directory; returns when the quorum has taken it in. */
    public void join(int id) {
        try {
            Files.createDirectories(directory(id));
            Files.createFile(directory(id).resolve(NodeDirectory.JOINING));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        startNode(id);
    }

    /** What changes the members. */
    public QuorumAdmin admin() {
        return new QuorumAdmin(voters(), clusterId, rpc, PATIENCE.toMillis());
    }

    public String clusterId() {
        return clusterId;
    }

    public QuorumRpc rpc() {
        return rpc;
    }

    /** What any controller reported as fatal. */
    public List<String> failures() {
        return failures;
    }

    public QuorumServer server(int id) {
        return running.get(id);
    }

    public Collection<QuorumServer> servers() {
        return List.copyOf(running.values());
    }

    /** Waits for an acting controller that has bootstrapped the cluster. */
    public QuorumServer leader() {
        return Awaitility.await("an acting controller")
                .atMost(PATIENCE)
                .until(
                        () -> servers().stream()
                                .filter(server ->
                                        server.leads() && server.image().level() > 0)
                                .findFirst()
                                .orElse(null),
                        server -> server != null);
    }

    /** Some controller that is not the acting one. */
    public QuorumServer follower() {
        QuorumServer leader = leader();
        return servers().stream().filter(server -> server != leader).findFirst().orElseThrow();
    }

    /** Starts a controller that is not running. */
    public void startNode(int id) {
        try {
            Files.createDirectories(directory(id));
            QuorumSettings settings = adjust.apply(new QuorumSettings(
                    id,
                    voters(),
                    clusterId,
                    directory(id),
                    rpc,
                    150,
                    300,
                    0,
                    1L << 40,
                    1 << 20,
                    10_000,
                    5_000,
                    HistoryConfig.DEFAULT,
                    Map.of()));
            // The port may be taken for a moment: the free ports of tests are those that outgoing connections get, too.
            Awaitility.await("the port of controller " + id)
                    .atMost(PATIENCE)
                    .ignoreExceptionsMatching(BindException.class::isInstance)
                    .until(() -> {
                        running.put(id, start(id, settings));
                        return true;
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private QuorumServer start(int id, QuorumSettings settings) throws IOException {
        return QuorumServer.start(
                settings,
                decisions.apply(clusterId),
                clock,
                (what, cause) -> failures.add("controller " + id + ": " + what + " " + cause));
    }

    /** Every running controller takes a snapshot and purges its log behind it. */
    public void takeSnapshots() throws InterruptedException {
        for (QuorumServer server : servers()) {
            try {
                if (!server.takeSnapshot()) {
                    throw new IllegalStateException("controller " + server.nodeId() + " took no snapshot");
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Answers of more bytes are read in parts of so many, of every controller that runs now. */
    public void cutAnswers(int moreThanBytes, int intoBytes) {
        servers().forEach(server -> server.machine().large().cut(moreThanBytes, intoBytes));
    }

    /** How many answers a running controller keeps, to be read in parts. */
    public int keptAnswers(int id) {
        return server(id).machine().large().size();
    }

    /** Stops a controller as a crash would: nothing is handed over. */
    public void kill(int id) {
        try {
            running.remove(id).closeAbruptly();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops a controller in order. */
    public void stop(int id) {
        try {
            running.remove(id).close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empties a stopped controller's directory, as if it was replaced. */
    public void wipe(int id) {
        try (Stream<Path> files = Files.walk(directory(id))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a running controller has applied, as metadata-log.sh would export it to that folder; the file. */
    public Path export(int id, Path to) {
        AppliedState state = server(id).machine().applied();
        byte[] bytes = SnapshotCodec.encode(state.image());
        Path file = to.resolve(KeyframeFile.nameOf(state.term(), state.index()));
        try {
            Files.createDirectories(to);
            Files.write(file, bytes);
            Files.writeString(KeyframeFile.digestOf(file), KeyframeFile.md5(bytes) + " *" + file.getFileName());
            RecoveryFile.write(RecoveryFile.beside(file), RecoveryFile.read(RecoveryFile.in(directory(id))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }

    /** All controllers are formatted as if there had never been any, with the same cluster id, and started. */
    public void beginEmpty() {
        new ArrayList<>(running.keySet()).forEach(this::kill);
        for (QuorumVoter voter : voters()) {
            wipe(voter.id());
            NodeDirectory.format(directory(voter.id()), clusterId, voter.id(), false);
        }
        voters().forEach(voter -> startNode(voter.id()));
        converged();
    }

    /** A majority is lost: all controllers end and begin anew with that image, at their old addresses. */
    public void beginAnew(Path image) {
        new ArrayList<>(running.keySet()).forEach(this::kill);
        try {
            NewQuorum.Beginning from = NewQuorum.Beginning.read(image, Uuids.random());
            for (QuorumVoter voter : voters()) {
                wipe(voter.id());
                NodeDirectory.format(directory(voter.id()), clusterId, voter.id(), false);
                NewQuorum.write(directory(voter.id()), voter.id(), clusterId, voters(), from);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        voters().forEach(voter -> startNode(voter.id()));
        converged();
    }

    public Path directory(int id) {
        return root.resolve("controller-" + id);
    }

    /** Waits until all running controllers have applied the same; their common image. */
    public ClusterImage converged() {
        Awaitility.await("equal replicas").atMost(PATIENCE).until(() -> {
            List<ClusterImage> images =
                    servers().stream().map(QuorumServer::image).toList();
            return images.stream()
                            .allMatch(image -> image.tip() == images.get(0).tip())
                    && images.get(0).level() > 0;
        });
        return servers().iterator().next().image();
    }

    @Override
    public void close() {
        new ArrayList<>(running.keySet()).forEach(this::kill);
    }

    private static List<QuorumVoter> freeVoters(int firstId, int count) {
        return IntStream.range(firstId, firstId + count)
                .mapToObj(id -> new QuorumVoter(id, "127.0.0.1", FreePorts.next()))
                .toList();
    }
}
