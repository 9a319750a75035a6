package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real three-node quorum decides, folds and answers. */
class QuorumTest {
    private static final QuorumCommand ALLOCATE = new QuorumCommand.AllocateProducerIds(1, 1);

    @TempDir
    private Path folder;

    private QuorumHarness quorum;

    @AfterEach
    void nothingFailed() {
        if (quorum != null) {
            quorum.close();
            assertThat(quorum.failures()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void commandsAreDecidedOnceAndFoldedByAll(QuorumRpc rpc) throws Exception {
        start(rpc, UnaryOperator.identity());
        quorum.leader();
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < 20; i++) {
                QuorumReply.Answer answer = client.submit(ALLOCATE);
                assertThat(answer.reply())
                        .isEqualTo(new QuorumReply.ProducerIds(
                                (long) i * ScriptedDecisions.BLOCK, ScriptedDecisions.BLOCK));
            }
            ClusterImage image = quorum.converged();
            assertThat(image.nextProducerId()).isEqualTo(20L * ScriptedDecisions.BLOCK);
            assertThat(quorum.servers()).allSatisfy(server -> {
                assertThat(server.image().digest()).isEqualTo(image.digest());
                assertThat(server.voidEntries()).isZero();
            });
            int followerId = quorum.follower().nodeId();
            assertThat(client.status(followerId).leaderId())
                    .isEqualTo(quorum.leader().nodeId());
            assertThat(client.poll(followerId, 0, 0).entries()).hasSizeGreaterThanOrEqualTo(20);
        }
    }

    @Test
    void theEpochOfABrokerIsTheIndexOfItsRegistration() throws Exception {
        start(QuorumHarness.RPC, UnaryOperator.identity());
        quorum.leader();
        try (HarnessClient client = new HarnessClient(quorum)) {
            QuorumReply.Answer answer = client.submit(register(7));
            assertThat(answer.brokerEpoch()).isEqualTo(answer.index());
            assertThat(quorum.converged().broker(7).epoch()).isEqualTo(answer.index());

            QuorumQuery.Heartbeat heartbeat =
                    new QuorumQuery.Heartbeat(7, answer.brokerEpoch(), answer.index(), false, false);
            assertThat(client.heartbeat(heartbeat).fenced()).isTrue();
            Awaitility.await("the heartbeat's command took effect")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> !client.heartbeat(heartbeat).fenced());
            assertThat(quorum.converged().broker(7).fenced()).isFalse();
        }
    }

    @Test
    void whatNeedsNoStateIsRefusedWithoutAnEntry() throws Exception {
        start(QuorumHarness.RPC, UnaryOperator.identity());
        long before = quorum.leader().image().index();
        try (HarnessClient client = new HarnessClient(quorum)) {
            QuorumReply.Answer answer = client.submit(new QuorumCommand.CreateTopics(List.of(), false, "me"));
            assertThat(answer.error()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            long entries = client.poll(quorum.leader().nodeId(), before + 1, 0).entries().stream()
                    .count();
            assertThat(entries).isEqualTo(1);
        }
    }

    @Test
    void aResultTooLargeForOneEntryIsRefusedAndTheLeaderStays() throws Exception {
        start(QuorumHarness.RPC, UnaryOperator.identity());
        long term = quorum.leader().status().term();
        Map<String, String> large = new HashMap<>();
        for (int i = 0; i < 5; i++) {
            large.put("key" + i, "x".repeat(1_000_000));
        }
        QuorumCommand.NewTopic topic = new QuorumCommand.NewTopic("t", 1, 1, List.of(), large);
        try (HarnessClient client = new HarnessClient(quorum)) {
            QuorumReply.Answer answer = client.submit(new QuorumCommand.CreateTopics(List.of(topic), false, "me"));
            assertThat(answer.error()).isEqualTo(ErrorCode.INVALID_REQUEST);
            assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            assertThat(quorum.leader().status().term()).isEqualTo(term);
            assertThat(quorum.converged().topics()).isEmpty();
        }
    }

    @Test
    void aDecisionThatFailsIsAnAnswerAndTheLeaderStays() throws Exception {
        start(QuorumHarness.RPC, UnaryOperator.identity());
        long term = quorum.leader().status().term();
        try (HarnessClient client = new HarnessClient(quorum)) {
            QuorumReply.Answer answer =
                    client.submit(new QuorumCommand.DeleteTopics(List.of(), "unknown to these decisions"));
            assertThat(answer.error()).isEqualTo(ErrorCode.UNKNOWN_SERVER_ERROR);
            assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            assertThat(quorum.leader().status().term()).isEqualTo(term);
        }
    }

    private void start(QuorumRpc rpc, UnaryOperator<QuorumSettings> adjust) {
        quorum = new QuorumHarness(folder, 3, id -> new ScriptedDecisions(), rpc, NodeClock.SYSTEM, adjust);
    }

    static QuorumCommand.RegisterBroker register(int id) {
        return new QuorumCommand.RegisterBroker(
                "cluster", id, "incarnation", List.of("dir-" + id), List.of(), "", -1, "", false, 1, 1, List.of());
    }
}
