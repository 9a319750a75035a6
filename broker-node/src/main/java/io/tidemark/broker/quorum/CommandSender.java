package io.tidemark.broker.quorum;

import io.tidemark.broker.runtime.QuorumPort.OutcomeUnknownException;
import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.codec.RefusalText;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply.Answer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftClientReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings commands to the acting controller. A call is carried out at most once however often it is sent, and its answer
 * is kept, so sending it again until it is answered is safe; but a call that was sent and not answered may take effect
 * at any later time. Answers that prove that nothing took effect (void, no controller yet), or that work is left
 * (unfinished), are followed by a new call.
 *
 * <p>A call goes only to a controller that has shown that it acts. While none is known, all calls wait for one and the same
 * search, so that a quorum without a leader is asked as often by a hundred waiting calls as by one.
 */
final class CommandSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandSender.class);
    private static final int RETRY_MS = 20;
    private static final int MAX_VOID = 10;

    private final LinkSettings settings;
    private final LeaderGuess leader;
    private final Caller caller;
    private final ScheduledThreadPoolExecutor thread;
    private final Set<Call> open = ConcurrentHashMap.newKeySet();
    /** Calls that wait for the search to end; the thread's. */
    private final List<Call> waiting = new ArrayList<>();
    /** A search is under way; the thread's. */
    private boolean searching;

    /** Single requests to single controllers. */
    interface Caller extends AutoCloseable {
        /** One command under that call id; a controller carries out a call at most once. */
        CompletableFuture<RaftClientReply> write(QuorumVoter to, long callId, byte[] command);

        /** Answered by the acting controller only, without any work: whether that is it. */
        CompletableFuture<RaftClientReply> probe(QuorumVoter to);

        @Override
        void close();
    }

    CommandSender(LinkSettings settings, LeaderGuess leader) {
        this(settings, leader, new QuorumCaller(settings, "commands", settings.rpcTimeoutMs()));
    }

    CommandSender(LinkSettings settings, LeaderGuess leader, Caller caller) {
        this.settings = settings;
        this.leader = leader;
        this.caller = caller;
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon(settings.name() + "-quorum"));
        this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    CompletableFuture<Answer> submit(QuorumCommand command, boolean once) {
        Call call = new Call(command, once);
        open.add(call);
        call.result.whenComplete((answer, failure) -> open.remove(call));
        next(call, call::start, 0);
        return call.result;
    }

    /** The thread's: asks one controller after another whether it acts, until one does or nobody waits any more. */
    private void search() {
        for (Iterator<Call> calls = waiting.iterator(); calls.hasNext(); ) {
            Call call = calls.next();
            if (call.expired()) {
                calls.remove();
                call.unknown(null);
            }
        }
        searching = !waiting.isEmpty();
        if (!searching) {
            return;
        }
        QuorumVoter to = leader.current();
        caller.probe(to).whenComplete((reply, failure) -> {
            Throwable problem = failure != null ? failure : reply.getException();
            if (problem == null) {
                leader.confirm(to);
                step(this::found, 0);
            } else {
                leader.failed(to, problem);
                step(this::search, RETRY_MS);
            }
        });
    }

    private void found() {
        searching = false;
        List<Call> found = List.copyOf(waiting);
        waiting.clear();
        found.forEach(call -> next(call, call::start, 0));
    }

    /** A step of the search; when this is closed there is none, and {@link #close} answers whoever waits. */
    private void step(Runnable step, long delayMs) {
        schedule(step, delayMs, problem -> {
            if (!thread.isShutdown()) {
                LOG.warn("the search for the acting controller begins again", problem);
                step(this::search, RETRY_MS);
            }
        });
    }

    private void next(Call call, Runnable step, long delayMs) {
        schedule(step, delayMs, call::unknown);
    }

    /** @param failed told if the step fails, or cannot be done any more */
    private void schedule(Runnable step, long delayMs, Consumer<RuntimeException> failed) {
        try {
            thread.schedule(
                    () -> {
                        try {
                            step.run();
                        } catch (RuntimeException e) {
                            failed.accept(e);
                        }
                    },
                    delayMs,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            failed.accept(e);
        }
    }

    /** One command on its way; its steps run on the sender's thread. */
    private final class Call {
        final CompletableFuture<Answer> result = new CompletableFuture<>();
        private final String kind;
        private final byte[] bytes;
        private final boolean once;
        private final long deadlineNanos =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.requestTimeoutMs());
        private long callId = QuorumCaller.newCall();
        private int voids;

        Call(QuorumCommand command, boolean once) {
            this.kind = command.getClass().getSimpleName();
            this.bytes = CommandCodec.encode(command);
            this.once = once;
        }

        boolean expired() {
            return System.nanoTime() - deadlineNanos >= 0;
        }

        void start() {
            if (expired()) {
                unknown(null);
            } else if (leader.confirmed()) {
                send();
            } else {
                waiting.add(this);
                if (!searching) {
                    search();
                }
            }
        }

        private void send() {
            QuorumVoter to = leader.current();
            caller.write(to, callId, bytes).whenComplete((reply, failure) -> {
                Optional<Answer> answer = failure != null ? Optional.empty() : answerIn(reply);
                if (answer.isPresent()) {
                    leader.confirm(to);
                    next(this, () -> answered(answer.get()), 0);
                    return;
                }
                Throwable problem = failure != null ? failure : reply.getException();
                leader.failed(to, problem);
                if (once) {
                    unknown(problem);
                } else {
                    next(this, this::start, RETRY_MS);
                }
            });
        }

        private void answered(Answer answer) {
            boolean nothingHappened = answer.error() == ErrorCode.VOID_ENTRY && ++voids <= MAX_VOID
                    || answer.error() == ErrorCode.NOT_CONTROLLER && !expired();
            if (nothingHappened) {
                callId = QuorumCaller.newCall();
                next(this, this::start, RETRY_MS);
            } else if (answer.error() == ErrorCode.UNFINISHED) {
                callId = QuorumCaller.newCall();
                next(this, this::start, 0);
            } else {
                result.complete(answer);
            }
        }

        void unknown(Throwable cause) {
            result.completeExceptionally(new OutcomeUnknownException(
                    kind + ": no answer from the quorum" + (cause == null ? "" : ": " + cause.getMessage()), cause));
        }
    }

    private static Optional<Answer> answerIn(RaftClientReply reply) {
        return reply.isSuccess()
                ? Optional.of(CommandCodec.decodeAnswer(
                        reply.getMessage().getContent().toByteArray()))
                : RefusalText.find(reply.getException().getMessage());
    }

    @Override
    public void close() {
        thread.shutdown();
        caller.close();
        List.copyOf(open).forEach(call -> call.unknown(null));
    }
}
