package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real quorum survives: entries that never were, restarts, purged logs, killed leaders. */
class QuorumFaultTest {
    private static final QuorumCommand ALLOCATE = new QuorumCommand.AllocateProducerIds(1, 1);

    /** Small files and no kept entries, so that a snapshot purges. */
    static final UnaryOperator<QuorumSettings> PURGING = settings -> new QuorumSettings(
            settings.nodeId(),
            settings.voters(),
            settings.clusterId(),
            settings.directory(),
            settings.rpc(),
            settings.electionTimeoutMinMs(),
            settings.electionTimeoutMaxMs(),
            0,
            1L << 40,
            4096,
            1,
            200,
            settings.history(),
            settings.bootstrapConfigs());

    @TempDir
    private Path folder;

    private final GhostClock clock = new GhostClock();
    private QuorumHarness quorum;
    private List<String> expectedFailures = List.of();

    /** Puts an entry that never gets into the log on a leader's pending image, just before a decision. */
    private static final class GhostClock implements NodeClock {
        final AtomicReference<PendingImage> haunted = new AtomicReference<>();

        @Override
        public WallTime wall() {
            PendingImage pending = haunted.getAndSet(null);
            if (pending != null) {
                pending.ghost();
            }
            return NodeClock.SYSTEM.wall();
        }

        @Override
        public MonoTime mono() {
            return NodeClock.SYSTEM.mono();
        }
    }

    @AfterEach
    void nothingElseFailed() {
        quorum.close();
        assertThat(quorum.failures()).isEqualTo(expectedFailures);
    }

    private void start(UnaryOperator<QuorumSettings> adjust) {
        quorum = new QuorumHarness(folder, 3, id -> new ScriptedDecisions(), QuorumHarness.RPC, clock, adjust);
        quorum.leader();
    }

    @Test
    void anEntryThatNeverWasVoidsAtMostThePipelineAndNoReplicaDiverges() throws Exception {
        int depth = 64;
        start(UnaryOperator.identity());
        QuorumServer leader = quorum.leader();
        Semaphore room = new Semaphore(depth);
        Queue<QuorumReply.Answer> answers = new ConcurrentLinkedQueue<>();
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < 1500; i++) {
                room.acquire();
                if (i == 700) {
                    clock.haunted.set(leader.machine().pending());
                }
                client.submitAsync(ALLOCATE).whenComplete((answer, failure) -> {
                    answers.add(answer);
                    room.release();
                });
            }
            assertThat(room.tryAcquire(depth, 60, TimeUnit.SECONDS)).isTrue();
        }
        List<QuorumReply.Answer> all = new ArrayList<>(answers);
        long voids = all.stream()
                .filter(answer -> answer.error() == ErrorCode.VOID_ENTRY)
                .count();
        assertThat(voids).isBetween(1L, (long) depth);
        assertThat(clock.haunted.get()).isNull();
        List<Long> blocks = all.stream()
                .filter(answer -> answer.reply() instanceof QuorumReply.ProducerIds)
                .map(answer -> ((QuorumReply.ProducerIds) answer.reply()).first())
                .toList();
        assertThat(blocks).hasSize((int) (1500 - voids)).doesNotHaveDuplicates();
        ClusterImage image = quorum.converged();
        assertThat(image.nextProducerId()).isEqualTo((1500 - voids) * ScriptedDecisions.BLOCK);
        assertThat(quorum.servers()).allSatisfy(server -> {
            assertThat(server.image().digest()).isEqualTo(image.digest());
            assertThat(server.voidEntries()).isEqualTo(voids);
        });
        // What came after the last void entry all took effect: the load never stood still.
        long lastVoid = all.stream()
                .filter(answer -> answer.error() == ErrorCode.VOID_ENTRY)
                .mapToLong(QuorumReply.Answer::index)
                .max()
                .orElseThrow();
        assertThat(all.stream().filter(answer -> answer.index() > lastVoid).count())
                .isGreaterThan(500);
    }

    @Test
    void aSnapshotAndARestartBetweenTwoChainedEntriesChangeNothing() throws Exception {
        start(PURGING);
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < 30; i++) {
                client.submit(ALLOCATE);
            }
            for (QuorumServer server : quorum.servers()) {
                assertThat(server.takeSnapshot()).isTrue();
            }
            quorum.voters().forEach(voter -> quorum.kill(voter.id()));
            quorum.voters().forEach(voter -> quorum.startNode(voter.id()));
            QuorumServer leader = quorum.leader();
            assertThat(leader.image().nextProducerId()).isEqualTo(30L * ScriptedDecisions.BLOCK);
            assertThat(client.submit(ALLOCATE).reply())
                    .isEqualTo(new QuorumReply.ProducerIds(30L * ScriptedDecisions.BLOCK, ScriptedDecisions.BLOCK));
            ClusterImage image = quorum.converged();
            assertThat(quorum.servers()).allSatisfy(server -> {
                assertThat(server.image().digest()).isEqualTo(image.digest());
                assertThat(server.voidEntries()).isZero();
            });
        }
    }

    @Test
    void aWipedFollowerOfAnIdleQuorumInstallsTheSnapshot() throws Exception {
        start(PURGING);
        int wiped = quorum.follower().nodeId();
        fill(300);
        quorum.kill(wiped);
        purge();
        quorum.wipe(wiped);
        quorum.startNode(wiped);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(300L * ScriptedDecisions.BLOCK);
        assertSameDigests();
    }

    @Test
    void aFollowerAwayPastThePurgeInstallsTheSnapshotEvenIfKilledAgainOnTheWay() throws Exception {
        start(PURGING);
        int away = quorum.follower().nodeId();
        fill(20);
        quorum.kill(away);
        fill(300);
        purge();
        for (int i = 0; i < 3; i++) {
            quorum.startNode(away);
            quorum.kill(away);
        }
        quorum.startNode(away);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(320L * ScriptedDecisions.BLOCK);
        assertSameDigests();
        // After the install it takes part like the others: it snapshots, purges, restarts.
        fill(100);
        quorum.converged();
        assertThat(quorum.server(away).takeSnapshot()).isTrue();
        quorum.kill(away);
        quorum.startNode(away);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(420L * ScriptedDecisions.BLOCK);
        assertSameDigests();
    }

    @Test
    void aSnapshotThatCannotBeWrittenLeavesTheLogWholeAndIsTriedAgain() throws Exception {
        start(PURGING);
        fill(300);
        QuorumServer server = quorum.follower();
        quorum.converged();
        Path snapshots = QuorumStorage.root(quorum.directory(server.nodeId()))
                .resolve(Uuids.quorumGroup(quorum.clusterId()).toString())
                .resolve("sm");
        Path away = folder.resolve("away");
        Files.move(snapshots, away);
        for (int i = 0; i < 3; i++) {
            assertThat(server.takeSnapshot()).isFalse();
        }
        assertThat(server.division().getRaftLog().getStartIndex()).isZero();
        Files.move(away, snapshots);
        Awaitility.await("a purged log").atMost(QuorumHarness.PATIENCE).until(() -> {
            server.takeSnapshot();
            return server.division().getRaftLog().getStartIndex() > 0;
        });
        quorum.kill(server.nodeId());
        quorum.startNode(server.nodeId());
        assertThat(quorum.converged().nextProducerId()).isEqualTo(300L * ScriptedDecisions.BLOCK);
    }

    @Test
    void aReaderFarBehindGetsTheImageAndThenTheEntries() throws Exception {
        start(PURGING);
        fill(300);
        purge();
        QuorumServer leader = quorum.leader();
        try (HarnessClient client = new HarnessClient(quorum)) {
            ClusterImage image = null;
            long next = 0;
            while (image == null || image.nextProducerId() < 300L * ScriptedDecisions.BLOCK) {
                QuorumQuery.PollAnswer answer = client.poll(leader.nodeId(), next, 100);
                // The ring of this process still holds everything: only a restarted controller must send the image.
                image = follow(image, answer);
                next = answer.nextIndex();
            }
            quorum.kill(leader.nodeId());
            quorum.startNode(leader.nodeId());
            QuorumQuery.PollAnswer old = Awaitility.await()
                    .atMost(QuorumHarness.PATIENCE)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> client.poll(leader.nodeId(), 0, 100), answer -> answer.image() != null);
            assertThat(follow(null, old).nextProducerId()).isEqualTo(300L * ScriptedDecisions.BLOCK);
            assertThat(old.nextIndex()).isEqualTo(old.image().index() + 1);
        }
    }

    @Test
    void aKilledLeaderLosesNothingThatWasAcknowledged() throws Exception {
        start(UnaryOperator.identity());
        int writers = 8;
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong acked = new AtomicLong();
        AtomicLong unknown = new AtomicLong();
        Queue<Long> blocks = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                done.add(CompletableFuture.runAsync(() -> write(stop, acked, unknown, blocks), threads));
            }
            awaitAcks(acked, 200);
            int killed = quorum.leader().nodeId();
            quorum.kill(killed);
            awaitAcks(acked, acked.get() + 200);
            quorum.startNode(killed);
            awaitAcks(acked, acked.get() + 200);
            stop.set(true);
            CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            ClusterImage image = quorum.converged();
            assertThat(blocks).doesNotHaveDuplicates();
            assertThat(image.nextProducerId() / ScriptedDecisions.BLOCK)
                    .as("every acknowledged block is there, and no more than may be")
                    .isBetween(acked.get(), acked.get() + unknown.get());
            assertThat(unknown.get()).isLessThanOrEqualTo(writers);
            assertSameDigests();
        } finally {
            threads.shutdownNow();
        }
    }

    private void write(AtomicBoolean stop, AtomicLong acked, AtomicLong unknown, Queue<Long> blocks) {
        try (HarnessClient client = new HarnessClient(quorum)) {
            while (!stop.get()) {
                try {
                    QuorumReply reply = client.submit(ALLOCATE).reply();
                    blocks.add(((QuorumReply.ProducerIds) reply).first());
                    acked.incrementAndGet();
                } catch (IOException e) {
                    // Such as "stepping down": the command may or may not take effect.
                    unknown.incrementAndGet();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aRetryAtAnotherControllerGetsTheFirstAnswer() throws Exception {
        start(UnaryOperator.identity());
        int first = quorum.leader().nodeId();
        try (HarnessClient client = new HarnessClient(quorum)) {
            QuorumReply.Answer answer = client.sendAs(77, first, ALLOCATE);
            assertThat(client.sendAs(77, first, ALLOCATE)).isEqualTo(answer);
            quorum.converged();
            quorum.kill(first);
            int second = quorum.leader().nodeId();
            assertThat(client.sendAs(77, second, ALLOCATE)).isEqualTo(answer);
            assertThat(client.sendAs(78, second, ALLOCATE)).isNotEqualTo(answer);
            assertThat(quorum.converged().nextProducerId()).isEqualTo(2L * ScriptedDecisions.BLOCK);
        }
    }

    @Test
    void aDivisionThatClosesByItselfEndsTheNode() {
        start(UnaryOperator.identity());
        QuorumServer broken = quorum.follower();
        broken.division().close();
        Awaitility.await("the failure is reported")
                .atMost(QuorumHarness.PATIENCE)
                .until(() -> !quorum.failures().isEmpty());
        assertThat(quorum.failures())
                .allMatch(line -> line.startsWith("controller " + broken.nodeId() + ": the quorum's server closed"));
        quorum.kill(broken.nodeId());
        expectedFailures = List.copyOf(quorum.failures());
    }

    @Test
    void anEntryThatCannotBeReadEndsTheNode() {
        start(UnaryOperator.identity());
        MetadataStateMachine machine = quorum.follower().machine();
        LogEntryProto garbage = LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(1_000_000)
                .setStateMachineLogEntry(
                        StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFromUtf8("garbage")))
                .build();
        TransactionContext transaction = TransactionContext.newBuilder()
                .setServerRole(RaftPeerRole.FOLLOWER)
                .setStateMachine(machine)
                .setLogEntry(garbage)
                .build();
        assertThatThrownBy(() -> machine.applyTransaction(transaction)).isInstanceOf(UnreadableException.class);
        assertThat(quorum.failures()).hasSize(1).first().asString().contains("index 1000000 cannot be applied");
        expectedFailures = List.copyOf(quorum.failures());
    }

    @Test
    void aLeaderHandsOverWhenItStops() {
        start(UnaryOperator.identity());
        QuorumServer leader = quorum.leader();
        assertThat(leader.handOver()).isTrue();
        assertThat(leader.leads()).isFalse();
        assertThat(quorum.leader()).isNotSameAs(leader);
        quorum.stop(quorum.leader().nodeId());
        assertThat(quorum.leader().image().level()).isPositive();
    }

    private static void awaitAcks(AtomicLong acked, long count) {
        Awaitility.await("acknowledged commands").atMost(QuorumHarness.PATIENCE).until(() -> acked.get() >= count);
    }

    private void fill(int commands) throws Exception {
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < commands; i++) {
                assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            }
        }
    }

    /** Snapshots on all running controllers until their logs no longer begin at 0. */
    private void purge() {
        for (QuorumServer server : quorum.servers()) {
            Awaitility.await("a purged log").atMost(QuorumHarness.PATIENCE).until(() -> {
                server.takeSnapshot();
                return server.division().getRaftLog().getStartIndex() > 0;
            });
        }
    }

    private void assertSameDigests() {
        long digest = quorum.converged().digest();
        assertThat(quorum.servers())
                .allSatisfy(server -> assertThat(server.image().digest()).isEqualTo(digest));
    }

    private static ClusterImage follow(ClusterImage before, QuorumQuery.PollAnswer answer) {
        ClusterImage image = answer.image() != null ? answer.image() : before == null ? ClusterImage.EMPTY : before;
        for (QuorumQuery.IndexedEntry entry : answer.entries()) {
            MetadataEntry decoded = RecordCodec.decode(entry.bytes());
            image = image.apply(entry.index(), decoded);
        }
        return image;
    }
}
