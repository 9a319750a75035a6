package io.tidemark.broker.quorum;

import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.model.MonoTime;
import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.model.metadata.QuorumQuery.HeartbeatAnswer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftClientReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's sign of life, at a fixed pace on a thread and connections of its own, so that nothing else this broker
 * does can delay it (B5). One is under way at a time; after a failure the next controller is asked at once.
 */
final class HeartbeatSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);

    private final int intervalMs;
    private final LeaderGuess leader;
    private final QuorumCaller caller;
    private final Supplier<Heartbeat> source;
    private final BiConsumer<HeartbeatAnswer, MonoTime> listener;
    private final ScheduledThreadPoolExecutor thread;
    private final int retryMs;

    private boolean underWay;
    private boolean again;
    private boolean failing;

    HeartbeatSender(
            LinkSettings settings,
            LeaderGuess leader,
            Supplier<Heartbeat> source,
            BiConsumer<HeartbeatAnswer, MonoTime> listener) {
        this.intervalMs = settings.heartbeatIntervalMs();
        this.retryMs = Math.max(1, intervalMs / 10);
        this.leader = leader;
        this.source = source;
        this.listener = listener;
        this.caller = new QuorumCaller(settings, "heartbeat-calls", intervalMs);
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon(settings.name() + "-heartbeat"));
        this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        thread.scheduleAtFixedRate(this::beat, 0, intervalMs, TimeUnit.MILLISECONDS);
    }

    /** Sends one out of turn: something changed that the controller should hear of. */
    void now() {
        run(
                () -> {
                    again = underWay;
                    beat();
                },
                0);
    }

    private void beat() {
        try {
            Heartbeat heartbeat = underWay ? null : source.get();
            if (heartbeat != null) {
                send(heartbeat);
            }
        } catch (RuntimeException e) {
            LOG.error("a heartbeat could not be sent", e);
        }
    }

    private void send(Heartbeat heartbeat) {
        underWay = true;
        QuorumVoter to = leader.current();
        MonoTime sent = MonoClock.SYSTEM.now();
        caller.readFromLeader(to, QueryCodec.encode(heartbeat))
                .whenComplete((reply, failure) -> run(() -> answered(to, sent, reply, failure), 0));
    }

    private void answered(QuorumVoter from, MonoTime sent, RaftClientReply reply, Throwable failure) {
        underWay = false;
        try {
            Throwable problem = failure != null ? failure : reply.getException();
            if (problem != null) {
                failed(from, problem);
                return;
            }
            HeartbeatAnswer answer =
                    QueryCodec.decodeHeartbeat(reply.getMessage().getContent().toByteArray());
            leader.confirm(from);
            if (failing) {
                failing = false;
                LOG.info("heartbeats are answered again, by controller {}", from.id());
            }
            listener.accept(answer, sent);
        } catch (RuntimeException e) {
            failed(from, e);
        }
        if (again) {
            again = false;
            beat();
        }
    }

    private void failed(QuorumVoter to, Throwable problem) {
        if (!failing) {
            failing = true;
            LOG.info("controller {} does not take heartbeats ({}), asking others", to.id(), problem.toString());
        }
        leader.failed(to, problem);
        again = false;
        run(this::beat, retryMs);
    }

    private void run(Runnable task, long delayMs) {
        try {
            thread.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closing");
        }
    }

    @Override
    public void close() {
        thread.shutdown();
        caller.close();
    }
}
