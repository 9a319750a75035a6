package io.tidemark.broker.quorum;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery.Members;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.RaftClientReply;

/**
 * Asks the acting controller for the members of the quorum, one controller after another until it is found. Over
 * connections of its own, since a question to one that does not lead fails all that is under way on the same connection.
 */
final class MembersReader implements AutoCloseable {
    /** No acting controller for so long is an answer, too. */
    private static final int GIVE_UP_MS = 5_000;

    private static final int RETRY_MS = 50;
    private static final byte[] QUESTION = QueryCodec.encode(new Members());

    private final LeaderGuess leader;
    private final QuorumCaller caller;
    private final ScheduledThreadPoolExecutor thread;

    MembersReader(LinkSettings settings) {
        // Its own guess: what it learns must not lead the heartbeats astray.
        this.leader = new LeaderGuess(settings.voters());
        this.caller = new QuorumCaller(settings, "members-calls", settings.rpcTimeoutMs());
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon(settings.name() + "-members"));
        this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    CompletableFuture<MembersAnswer> read() {
        CompletableFuture<MembersAnswer> result = new CompletableFuture<>();
        ask(result, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GIVE_UP_MS));
        return result;
    }

    private void ask(CompletableFuture<MembersAnswer> result, long deadlineNanos) {
        QuorumVoter to = leader.current();
        caller.readFromLeader(to, QUESTION).whenComplete((reply, failure) -> {
            try {
                MembersAnswer members = decode(reply, failure);
                leader.confirm(to);
                leader.update(members.voters().stream()
                        .map(voter -> QuorumVoter.parseList(voter.id() + "@" + voter.address())
                                .get(0))
                        .toList());
                result.complete(members);
            } catch (Exception e) {
                leader.failed(to, e);
                again(result, deadlineNanos, e);
            }
        });
    }

    private static MembersAnswer decode(RaftClientReply reply, Throwable failure) throws Exception {
        if (failure != null) {
            throw failure instanceof Exception exception ? exception : new IllegalStateException(failure);
        }
        if (reply.getException() != null) {
            throw reply.getException();
        }
        return QueryCodec.decodeMembers(reply.getMessage().getContent().toByteArray());
    }

    private void again(CompletableFuture<MembersAnswer> result, long deadlineNanos, Exception problem) {
        if (System.nanoTime() - deadlineNanos >= 0) {
            TimeoutException late = new TimeoutException("no acting controller answers: " + problem.getMessage());
            late.initCause(problem);
            result.completeExceptionally(late);
            return;
        }
        try {
            thread.schedule(() -> ask(result, deadlineNanos), RETRY_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        caller.close();
    }
}
