package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Controllers come, go and are replaced while the quorum works. */
class MembershipTest {
    private static final QuorumCommand ALLOCATE = new QuorumCommand.AllocateProducerIds(1, 1);

    /** Far above a failover, far below what a change that hangs would take. */
    private static final Duration LONGEST_REFUSAL = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    private QuorumHarness quorum;

    private void start(QuorumRpc rpc) {
        start(rpc, UnaryOperator.identity());
    }

    private void start(QuorumRpc rpc, UnaryOperator<QuorumSettings> adjust) {
        quorum = new QuorumHarness(folder, 3, id -> new ScriptedDecisions(), rpc, NodeClock.SYSTEM, adjust);
        quorum.leader();
    }

    /** A controller that was let go ends; nothing else may. */
    private void onlyTheseEnded(Integer... ids) {
        assertThat(quorum.failures())
                .allMatch(line -> List.of(ids).stream().anyMatch(id -> line.startsWith("controller " + id + ":")));
    }

    @AfterEach
    void stop() {
        quorum.close();
    }

    /** Writes without a pause; keeps what was acknowledged and the longest time without an answer. */
    private final class Writer implements AutoCloseable {
        final Queue<Long> blocks = new ConcurrentLinkedQueue<>();
        final AtomicLong unknown = new AtomicLong();
        private volatile boolean stopped;
        private volatile long longestNanos;
        private final CompletableFuture<Void> done = CompletableFuture.runAsync(this::write, task -> {
            Thread thread = new Thread(task, "writer");
            thread.setDaemon(true);
            thread.start();
        });

        private void write() {
            try (HarnessClient client = new HarnessClient(quorum)) {
                long last = System.nanoTime();
                while (!stopped) {
                    try {
                        blocks.add(((QuorumReply.ProducerIds)
                                        client.submit(ALLOCATE).reply())
                                .first());
                        long now = System.nanoTime();
                        longestNanos = Math.max(longestNanos, now - last);
                        last = now;
                    } catch (IOException e) {
                        // Such as "stepping down": the command may or may not take effect.
                        unknown.incrementAndGet();
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Goes on until so many more are acknowledged. */
        void more(int count) {
            int before = blocks.size();
            Awaitility.await("acknowledged writes")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> blocks.size() >= before + count);
        }

        /** Nothing that was acknowledged is lost, nothing was done twice, and no refusal lasted. */
        void lostNothing() throws Exception {
            stopped = true;
            done.get(60, TimeUnit.SECONDS);
            ClusterImage image = quorum.converged();
            assertThat(blocks).doesNotHaveDuplicates();
            assertThat(image.nextProducerId() / ScriptedDecisions.BLOCK)
                    .isBetween((long) blocks.size(), blocks.size() + unknown.get());
            assertThat(Duration.ofNanos(longestNanos)).isLessThan(LONGEST_REFUSAL);
        }

        @Override
        public void close() {
            stopped = true;
        }
    }

    private List<Integer> members() throws IOException {
        try (QuorumAdmin admin = quorum.admin()) {
            return admin.members().voters().stream().map(Member::id).toList();
        }
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void controllersComeActAndGoWhileWritesGoOn(QuorumRpc rpc) throws Exception {
        start(rpc);
        try (Writer writer = new Writer();
                QuorumAdmin admin = quorum.admin()) {
            writer.more(50);
            QuorumVoter fourth = quorum.another();
            quorum.join(fourth.id());
            assertThat(members()).containsExactly(101, 102, 103, 104);
            writer.more(50);
            assertThat(admin.transfer(104).leaderId()).isEqualTo(104);
            writer.more(50);
            // The acting one goes: another takes over first.
            assertThat(admin.remove(104, false)).isTrue();
            quorum.kill(104);
            assertThat(members()).containsExactly(101, 102, 103);
            writer.more(50);
            int acting = admin.members().leaderId();
            assertThat(admin.remove(acting, false)).isTrue();
            quorum.kill(acting);
            writer.more(50);
            assertThat(members()).hasSize(2).doesNotContain(acting);
            assertThat(admin.remove(acting, false)).as("removed twice").isFalse();
            writer.lostNothing();
            onlyTheseEnded(104, acting);
        }
    }

    @Test
    void aRemovedControllerStaysOutAlsoWhenItIsStartedAgain() throws Exception {
        start(QuorumHarness.RPC);
        int gone = quorum.follower().nodeId();
        try (QuorumAdmin admin = quorum.admin();
                Writer writer = new Writer()) {
            assertThat(admin.remove(gone, false)).isTrue();
            quorum.kill(gone);
            writer.more(20);
            long term = quorum.leader().status().term();
            quorum.startNode(gone);
            Awaitility.await("it is told to end")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> !quorum.failures().isEmpty());
            quorum.kill(gone);
            writer.more(20);
            assertThat(members()).hasSize(2).doesNotContain(gone);
            assertThat(quorum.leader().status().term())
                    .as("nobody was disturbed")
                    .isEqualTo(term);
            writer.lostNothing();
            onlyTheseEnded(gone);
            assertThat(quorum.failures()).allMatch(line -> line.contains("removed from the quorum"));
        }
        // What it was told, it keeps: it does not even try the next time.
        assertThatThrownBy(() -> quorum.startNode(gone))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContaining("was removed from the quorum");
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void aMemberWithAnEmptyDiskLeavesAndJoinsAnewAlsoWhenTheQuorumIsIdle(QuorumRpc rpc) throws Exception {
        start(rpc);
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            }
        }
        int wiped = quorum.follower().nodeId();
        quorum.kill(wiped);
        quorum.wipe(wiped);
        quorum.join(wiped);
        assertThat(members()).containsExactly(101, 102, 103);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(20L * ScriptedDecisions.BLOCK);
        // It counts: without another one it is part of the majority.
        quorum.kill(
                quorum.follower() == quorum.server(wiped)
                        ? otherFollower(wiped)
                        : quorum.follower().nodeId());
        try (HarnessClient client = new HarnessClient(quorum)) {
            assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
        }
        onlyTheseEnded();
    }

    private int otherFollower(int not) {
        QuorumServer leader = quorum.leader();
        return quorum.servers().stream()
                .filter(server -> server != leader && server.nodeId() != not)
                .findFirst()
                .orElseThrow()
                .nodeId();
    }

    @Test
    void oneThatWasKilledBetweenLeavingAndJoiningJoins() throws Exception {
        start(QuorumHarness.RPC);
        int wiped = quorum.follower().nodeId();
        quorum.kill(wiped);
        quorum.wipe(wiped);
        try (QuorumAdmin admin = quorum.admin()) {
            admin.remove(wiped, false);
        }
        quorum.join(wiped);
        assertThat(members()).containsExactly(101, 102, 103);
        quorum.converged();
        quorum.kill(wiped);
        quorum.startNode(wiped);
        assertThat(quorum.converged()).isNotNull();
        onlyTheseEnded();
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void oneThatJoinsAPurgedQuorumBeginsWithTheSnapshot(QuorumRpc rpc) throws Exception {
        start(rpc, QuorumFaultTest.PURGING);
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < 200; i++) {
                assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            }
        }
        for (QuorumServer server : quorum.servers()) {
            Awaitility.await("a purged log").atMost(QuorumHarness.PATIENCE).until(() -> {
                server.takeSnapshot();
                return server.division().getRaftLog().getStartIndex() > 0;
            });
        }
        int fourth = quorum.another().id();
        quorum.join(fourth);
        assertThat(members()).containsExactly(101, 102, 103, 104);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(200L * ScriptedDecisions.BLOCK);
        quorum.kill(fourth);
        quorum.startNode(fourth);
        assertThat(quorum.converged().nextProducerId()).isEqualTo(200L * ScriptedDecisions.BLOCK);
        onlyTheseEnded();
    }

    @Test
    void whatWouldLeaveTooFewIsRefusedInWords() throws Exception {
        start(QuorumHarness.RPC);
        int away = quorum.follower().nodeId();
        quorum.kill(away);
        int other = otherFollower(away);
        try (QuorumAdmin admin = quorum.admin()) {
            Awaitility.await("its silence is noticed")
                    .atMost(QuorumHarness.PATIENCE)
                    .untilAsserted(() -> assertThat(admin.members().voters())
                            .filteredOn(member -> member.id() == away)
                            .noneMatch(member -> {
                                try {
                                    return QuorumAdmin.isThere(admin.members(), member);
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
            assertThatThrownBy(() -> admin.remove(other, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("[" + away + "]")
                    .hasMessageContaining("too few would be left");
            assertThatThrownBy(() -> admin.transfer(away)).hasMessageContaining("is not there");
            assertThatThrownBy(() -> admin.transfer(999)).hasMessageContaining("no member");
            assertThat(admin.remove(999, false)).isFalse();
            // The one that is away may go: the two others are enough.
            assertThat(admin.remove(away, false)).isTrue();
            assertThat(members()).hasSize(2);
        }
        onlyTheseEnded();
    }
}
