package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.quorum.core.ControllerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** B5 with real controllers and real sockets: who is fenced, and why, as the metadata log tells it. */
class FailureDetectionTest {
    /** So long that whoever is fenced within a test was not fenced by it. */
    private static final long NEVER_MS = 3_600_000;

    private static final long SHORT_MS = 1_500;
    private static final String GONE = "process gone, connection refused twice and no heartbeat";
    private static final String SILENT = "no heartbeat within the session timeout";

    @TempDir
    private Path folder;

    private final List<FakeBroker> brokers = new ArrayList<>();
    private final AtomicLong jumpMs = new AtomicLong();
    private QuorumHarness quorum;
    private HarnessClient client;

    private void start(int controllers, long sessionMs) {
        quorum = new QuorumHarness(
                folder,
                controllers,
                clusterId -> new CoreDecisions(
                        new ControllerSettings(clusterId, 1, 1), sessionMs, 3 * FakeBroker.INTERVAL_MS),
                QuorumHarness.RPC,
                new NodeClock() {
                    @Override
                    public WallTime wall() {
                        return NodeClock.SYSTEM.wall();
                    }

                    @Override
                    public MonoTime mono() {
                        return NodeClock.SYSTEM.mono().plus(jumpMs.get());
                    }
                },
                UnaryOperator.identity());
        quorum.leader();
        client = new HarnessClient(quorum);
    }

    @AfterEach
    void stop() throws IOException {
        for (FakeBroker broker : brokers) {
            broker.close();
        }
        client.close();
        quorum.close();
        assertThat(quorum.failures()).isEmpty();
    }

    private FakeBroker broker(int id, String incarnation) throws IOException {
        FakeBroker broker = new FakeBroker(quorum, id, incarnation);
        brokers.add(broker);
        return broker;
    }

    /** Registered, unfenced, and connected to by the acting controller. */
    private FakeBroker running(int id) throws IOException {
        FakeBroker broker = broker(id, "first").answering();
        assertThat(broker.register("directory-" + id).error()).isEqualTo(ErrorCode.NONE);
        awaitUnfenced(broker);
        await("the fast path", () -> broker.connections() > 0 && fastPathOff() == 0);
        int beats = broker.answeredBeats();
        await("a heartbeat on the connection", () -> broker.answeredBeats() > beats + 1);
        return broker;
    }

    private int fastPathOff() {
        return quorum.leader().status().fastPathOff().size();
    }

    private void awaitUnfenced(FakeBroker broker) {
        await("unfenced", () -> {
            var state = quorum.leader().image().broker(broker.id);
            return state.epoch() == broker.epoch() && !state.fenced();
        });
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(QuorumHarness.PATIENCE).until(condition);
    }

    /** Every fence of that broker in the log so far. */
    private List<MetadataEntry> fences(int broker) throws IOException {
        return client.entries(quorum.leader().nodeId()).stream()
                .filter(entry -> entry.records().stream()
                        .anyMatch(record -> record instanceof BrokerFenced fenced && fenced.brokerId() == broker))
                .toList();
    }

    private MetadataEntry awaitFence(FakeBroker broker) throws IOException {
        await("fenced", () -> !fences(broker.id).isEmpty());
        return fences(broker.id).get(0);
    }

    @Test
    void aKilledProcessIsFencedLongBeforeItsSessionEnds() throws IOException {
        start(3, NEVER_MS);
        FakeBroker killed = running(1);
        FakeBroker alive = running(2);
        killed.kill();
        assertThat(awaitFence(killed).cause().reason()).isEqualTo(GONE);
        assertThat(fences(alive.id)).isEmpty();
        FakeBroker replacement = broker(1, "second").answering();
        assertThat(replacement.register("replacement").error())
                .as("its session ended with the fence, so an empty replacement disk need not wait for it")
                .isEqualTo(ErrorCode.NONE);
        awaitUnfenced(replacement);
    }

    @Test
    void aPausedProcessIsFencedByItsSessionOnly() throws IOException {
        start(1, SHORT_MS);
        FakeBroker paused = running(1);
        paused.pause();
        MetadataEntry fence = awaitFence(paused);
        assertThat(fence.cause().reason()).isEqualTo(SILENT);
        // The last beat may have been sent just before the pause; it counted from its arrival.
        assertThat(fence.timestampMs()).isGreaterThanOrEqualTo(paused.lastBeatMs() + SHORT_MS - 20);
        paused.resume();
        awaitUnfenced(paused);
    }

    @Test
    void refusedWhileHeartbeatsFlowIsNoDeath() throws IOException {
        start(1, NEVER_MS);
        FakeBroker hidden = running(1);
        hidden.hide();
        await("the fast path is off", () -> fastPathOff() == 1);
        int beats = hidden.answeredBeats();
        await("more heartbeats", () -> hidden.answeredBeats() > beats + 10);
        assertThat(quorum.leader().status().fastPathOff())
                .containsEntry(1, "refuses connections while its heartbeats arrive");
        assertThat(fences(1)).isEmpty();
        hidden.show();
        await("the fast path is on again", () -> fastPathOff() == 0);
        hidden.kill();
        assertThat(awaitFence(hidden).cause().reason()).isEqualTo(GONE);
    }

    @Test
    void aFullBacklogOfAcceptsIsNoDeath() throws IOException {
        start(1, SHORT_MS);
        List<SocketChannel> queued = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // The kernel takes one or two more than it was told; what is beyond gets no answer.
            for (int i = 0; i < 8; i++) {
                SocketChannel channel = SocketChannel.open();
                queued.add(channel);
                channel.configureBlocking(false);
                channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), full.getLocalPort()));
            }
            FakeBroker busy = broker(1, "first");
            busy.registerAt(full.getLocalPort(), "directory");
            awaitUnfenced(busy);
            await(
                    "no answer to an attempt",
                    () -> "gives no answer to connection attempts"
                            .equals(quorum.leader().status().fastPathOff().get(1)));
            assertThat(fences(1)).isEmpty();
            busy.pause();
            assertThat(awaitFence(busy).cause().reason()).isEqualTo(SILENT);
        } finally {
            for (SocketChannel channel : queued) {
                channel.close();
            }
        }
    }

    @Test
    void aControllerThatWasPausedFencesNobodyWhoStillSpeaks() throws IOException {
        start(1, SHORT_MS);
        FakeBroker first = running(1);
        FakeBroker second = running(2);
        jumpMs.addAndGet(10 * SHORT_MS);
        int beats = first.answeredBeats() + second.answeredBeats();
        await("heartbeats go on", () -> first.answeredBeats() + second.answeredBeats() > beats + 20);
        assertThat(fences(1)).isEmpty();
        assertThat(fences(2)).isEmpty();
    }

    @Test
    void aNewActingControllerConnectsAndNoticesWhoDiedMeanwhile() throws IOException {
        start(3, NEVER_MS);
        FakeBroker killed = running(1);
        FakeBroker alive = running(2);
        int connections = alive.connections();
        killed.kill();
        quorum.kill(quorum.leader().nodeId());
        assertThat(awaitFence(killed).cause().reason()).isEqualTo(GONE);
        await("connected anew", () -> alive.connections() > connections);
        assertThat(fences(alive.id)).isEmpty();
    }

    @Test
    void theSameDirectoryTakesOverAtOnceUnlessTheOldOneAnswers() throws IOException {
        start(1, 4_000);
        FakeBroker old = running(1);
        FakeBroker copy = broker(1, "copy").answering();
        for (int i = 0; i < 20; i++) {
            assertThat(copy.register("directory-1").error()).isEqualTo(ErrorCode.DUPLICATE_BROKER_REGISTRATION);
        }
        assertThat(copy.register("another").error())
                .as("no shared directory and a living session")
                .isEqualTo(ErrorCode.DUPLICATE_BROKER_REGISTRATION);
        assertThat(quorum.leader().image().broker(1).epoch()).isEqualTo(old.epoch());

        FakeBroker successor = broker(1, "second").answering();
        old.kill();
        await(
                "the connection is seen to be lost",
                () -> successor.register("directory-1").error() == ErrorCode.NONE);
        awaitUnfenced(successor);
        assertThat(fences(1))
                .as("taken over, or fenced as gone; not after its session")
                .allSatisfy(entry -> assertThat(entry.cause().reason()).isEqualTo(GONE));
    }

    @Test
    void aPausedOldOneOwesAnAnswerForAQuarterOfItsSession() throws IOException {
        start(1, 20_000);
        FakeBroker old = running(1);
        old.pause();
        FakeBroker successor = broker(1, "second").answering();
        assertThat(successor.register("directory-1").error())
                .as("it may yet answer")
                .isEqualTo(ErrorCode.DUPLICATE_BROKER_REGISTRATION);
        await("taken over", () -> successor.register("directory-1").error() == ErrorCode.NONE);
        assertThat(fences(1)).as("long before the session of the old one ended").isEmpty();
        awaitUnfenced(successor);
    }
}
