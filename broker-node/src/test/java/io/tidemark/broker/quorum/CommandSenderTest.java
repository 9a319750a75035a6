package io.tidemark.broker.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.runtime.QuorumPort.OutcomeUnknownException;
import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where commands go, and how often anybody is asked, with controllers that answer by hand. */
class CommandSenderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int TIMEOUT_MS = 2_000;
    private static final List<QuorumVoter> VOTERS = QuorumVoter.parseList("101@localhost:1,102@localhost:2");

    private final ByHand controllers = new ByHand();
    private final LeaderGuess leader = new LeaderGuess(VOTERS);
    private final CommandSender sender = new CommandSender(
            new LinkSettings("broker-1", VOTERS, "cluster", QuorumRpc.GRPC, TIMEOUT_MS, 1_000, 1_000, 1_000),
            leader,
            controllers);

    @AfterEach
    void close() {
        sender.close();
    }

    /** A request on its way. */
    private record Asked(QuorumVoter to, long callId, CompletableFuture<RaftClientReply> answer) {
        void succeed(byte[] content) {
            answer.complete(RaftClientReply.newBuilder()
                    .setClientId(ClientId.randomId())
                    .setServerId(RaftGroupMemberId.valueOf(
                            RaftPeerId.valueOf(Integer.toString(to.id())), RaftGroupId.randomId()))
                    .setCallId(callId)
                    .setSuccess()
                    .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(content)))
                    .build());
        }

        void fail() {
            answer.completeExceptionally(new IOException("nobody there"));
        }
    }

    private static final class ByHand implements CommandSender.Caller {
        private final BlockingQueue<Asked> probes = new LinkedBlockingQueue<>();
        private final BlockingQueue<Asked> writes = new LinkedBlockingQueue<>();

        @Override
        public CompletableFuture<RaftClientReply> write(QuorumVoter to, long callId, byte[] command) {
            return ask(writes, to, callId);
        }

        @Override
        public CompletableFuture<RaftClientReply> probe(QuorumVoter to) {
            return ask(probes, to, -1);
        }

        private static CompletableFuture<RaftClientReply> ask(BlockingQueue<Asked> queue, QuorumVoter to, long callId) {
            Asked asked = new Asked(to, callId, new CompletableFuture<>());
            queue.add(asked);
            return asked.answer();
        }

        @Override
        public void close() {}
    }

    private static Asked next(BlockingQueue<Asked> queue) throws InterruptedException {
        Asked asked = queue.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(asked).as("a request").isNotNull();
        return asked;
    }

    private static byte[] answer(QuorumReply reply) {
        return CommandCodec.encode(new Answer(7, reply));
    }

    private static QuorumReply refused(ErrorCode error) {
        return new QuorumReply.Refused(error, "");
    }

    private CompletableFuture<Answer> submit() {
        return sender.submit(new QuorumCommand.NoOp(), false);
    }

    @Test
    void howeverManyWaitOneControllerIsAskedAtATime() throws InterruptedException {
        List<CompletableFuture<Answer>> results = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            results.add(sender.submit(new QuorumCommand.NoOp(), i % 2 == 0));
        }
        for (int round = 0; round < 5; round++) {
            Asked probe = next(controllers.probes);
            assertThat(probe.to().id()).as("in turns").isEqualTo(101 + round % 2);
            assertThat(controllers.probes).isEmpty();
            assertThat(controllers.writes).isEmpty();
            probe.fail();
        }
        next(controllers.probes).succeed(new byte[0]);
        for (int i = 0; i < 100; i++) {
            Asked write = next(controllers.writes);
            assertThat(write.to().id()).isEqualTo(102);
            write.succeed(answer(new QuorumReply.Done()));
        }
        assertThat(results)
                .allSatisfy(result -> assertThat(result)
                        .succeedsWithin(PATIENCE)
                        .extracting(Answer::reply)
                        .isEqualTo(new QuorumReply.Done()));
        assertThat(controllers.probes).isEmpty();
    }

    @Test
    void aCallWhoseControllerWasLostGoesUnderTheSameIdToTheNextOne() throws InterruptedException {
        CompletableFuture<Answer> result = submit();
        next(controllers.probes).succeed(new byte[0]);
        Asked first = next(controllers.writes);
        first.fail();
        next(controllers.probes).succeed(new byte[0]);
        Asked second = next(controllers.writes);
        assertThat(second.callId()).isEqualTo(first.callId());
        assertThat(second.to()).isNotEqualTo(first.to());
        second.succeed(answer(new QuorumReply.Done()));
        assertThat(result).succeedsWithin(PATIENCE);
    }

    @Test
    void workThatIsLeftIsAskedForInNewCallsUntilItIsDone() throws InterruptedException {
        CompletableFuture<Answer> result = submit();
        next(controllers.probes).succeed(new byte[0]);
        long last = -1;
        for (int part = 0; part < 30; part++) {
            Asked write = next(controllers.writes);
            assertThat(write.callId()).isNotEqualTo(last);
            last = write.callId();
            write.succeed(answer(refused(ErrorCode.UNFINISHED)));
        }
        next(controllers.writes).succeed(answer(new QuorumReply.Done()));
        assertThat(result).succeedsWithin(PATIENCE).extracting(Answer::reply).isEqualTo(new QuorumReply.Done());
    }

    @Test
    void whoWaitsForALeaderIsAnsweredInTime() throws InterruptedException {
        CompletableFuture<Answer> result = submit();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            Asked probe = controllers.probes.poll();
            if (probe != null) {
                probe.fail();
            }
            return result.isDone();
        });
        assertThat(result).isCompletedExceptionally();
        assertThat(result.handle((answer, failure) -> failure).join())
                .isInstanceOfAny(OutcomeUnknownException.class, CompletionException.class);
        assertThat(controllers.writes).isEmpty();
    }
}
