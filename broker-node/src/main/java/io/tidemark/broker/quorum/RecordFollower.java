package io.tidemark.broker.quorum;

import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.model.MonoTime;
import io.tidemark.model.codec.AnswerParts;
import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumQuery.PollAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftClientReply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the metadata log by long polls of one controller after another, and folds it. What any controller sends is
 * committed, so the position is kept when the controller changes; an index gap is normal.
 */
final class RecordFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordFollower.class);
    private static final int MAX_BYTES = 1024 * 1024;
    private static final int RETRY_MS = 20;
    private static final int MAX_RETRY_MS = 500;
    /** Without long polls (netty keeps no request without occupying a thread of the controller) it is asked so often. */
    private static final int SHORT_POLL_MS = 50;

    private final LeaderGuess leader;
    private final QuorumCaller caller;
    private final MetadataListener listener;
    private final ScheduledThreadPoolExecutor thread;
    private final boolean longPolls;
    private final int pollMs;

    /**
     * An idle quorum writes an empty entry every few seconds: a controller without news for so long has fallen behind,
     * whatever it says of the leader.
     */
    private static final long STALE_AFTER_MS = 15_000;

    private ClusterImage image = ClusterImage.EMPTY;
    private MonoTime lastNews = MonoClock.SYSTEM.now();
    private long nextIndex;
    /** Place of the controller that is asked, in a list that may change: modulo its size. */
    private int current;

    private long knownQuorum = QuorumQuery.Poll.ANY_QUORUM;
    private int failures;

    RecordFollower(LinkSettings settings, LeaderGuess leader, MetadataListener listener) {
        this.leader = leader;
        this.listener = listener;
        this.longPolls = settings.rpc() == QuorumRpc.GRPC;
        this.pollMs = settings.pollMs();
        // Brokers spread over the controllers.
        this.current =
                Math.floorMod(settings.name().hashCode(), settings.voters().size());
        this.caller = new QuorumCaller(settings, "feed-calls", 2 * pollMs);
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon(settings.name() + "-feed"));
        this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        run(this::poll, 0);
    }

    private void poll() {
        List<QuorumVoter> voters = leader.voters();
        QuorumVoter from = voters.get(Math.floorMod(current, voters.size()));
        QuorumQuery.Poll poll = new QuorumQuery.Poll(nextIndex, longPolls ? pollMs : 0, MAX_BYTES, knownQuorum);
        caller.read(from, QueryCodec.encode(poll))
                .whenComplete((reply, failure) ->
                        run(() -> read(from, reply, failure, answer -> answered(from, answer)), 0));
    }

    /** What a reply is taken for. */
    private interface Reader {
        void read(byte[] answer);
    }

    /** A failure is the controller's, and another one is asked; what cannot be read is ours, and the end. */
    private void read(QuorumVoter from, RaftClientReply reply, Throwable failure, Reader reader) {
        try {
            Throwable problem = failure != null ? failure : reply.getException();
            if (problem != null) {
                failed(from, problem);
            } else {
                reader.read(reply.getMessage().getContent().toByteArray());
            }
        } catch (UnreadableException e) {
            listener.onFailure(e);
        } catch (RuntimeException e) {
            failed(from, e);
        }
    }

    private void answered(QuorumVoter from, byte[] answer) {
        AnswerParts parts = AnswerParts.of(answer);
        if (parts == null) {
            answered(from, QueryCodec.decodePoll(answer));
        } else {
            LOG.info("controller {} has {} bytes of metadata for this broker, read in parts", from.id(), parts.size());
            readOn(from, parts);
        }
    }

    /** If that controller fails, the next one is polled from the position before, and what was read is dropped. */
    private void readOn(QuorumVoter from, AnswerParts parts) {
        if (parts.complete()) {
            answered(from, QueryCodec.decodePoll(parts.answer()));
            return;
        }
        caller.read(from, QueryCodec.encode(parts.next()))
                .whenComplete((reply, failure) -> run(
                        () -> read(from, reply, failure, answer -> {
                            parts.add(answer);
                            readOn(from, parts);
                        }),
                        0));
    }

    private void answered(QuorumVoter from, PollAnswer answer) {
        if (!learn(answer.quorum())) {
            return;
        }
        boolean news = answer.image() != null || !answer.entries().isEmpty();
        try {
            take(answer);
        } catch (RuntimeException e) {
            LOG.error("the metadata log cannot be followed further than index {}", image.index(), e);
            listener.onFailure(e);
            return;
        }
        failures = 0;
        MonoTime now = MonoClock.SYSTEM.now();
        if (news) {
            lastNews = now;
        } else if (now.since(lastNews) > STALE_AFTER_MS) {
            LOG.info("controller {} has had no news for {} ms, asking another", from.id(), now.since(lastNews));
            lastNews = now;
            current++;
            run(this::poll, RETRY_MS);
            return;
        }
        if (answer.leaderId() >= 0) {
            leader.suggest(answer.leaderId());
        } else if (!news) {
            // It knows of no acting controller: it may be cut off from the others, or all elect right now.
            current++;
            run(this::poll, RETRY_MS);
            return;
        }
        run(this::poll, longPolls || news ? 0 : SHORT_POLL_MS);
    }

    /**
     * Controllers that joined after this broker was configured are asked like the others, those that left no more. False
     * if this broker's metadata is of a history that is no longer the quorum's.
     */
    private boolean learn(QuorumQuery.QuorumIdentity quorum) {
        if (quorum == null) {
            return true;
        }
        if (!listener.onRecovery(quorum.recovery(), image.index())) {
            return false;
        }
        if (!quorum.members().isEmpty()) {
            List<QuorumVoter> told = QuorumVoter.parseList(String.join(",", quorum.members()));
            if (!told.equals(leader.voters())) {
                LOG.info("the controllers are {}", told);
                leader.update(told);
            }
        }
        knownQuorum = quorum.key();
        return true;
    }

    private void take(PollAnswer answer) {
        ClusterImage before = image;
        if (answer.image() != null) {
            if (answer.image().index() > before.index()) {
                LOG.info(
                        "metadata as a whole at index {}, before: {}",
                        answer.image().index(),
                        before.index());
                image = answer.image();
                listener.onImage(before, image, null);
            }
        } else if (!answer.entries().isEmpty()) {
            List<MetadataListener.IndexedEntry> entries =
                    new ArrayList<>(answer.entries().size());
            for (QuorumQuery.IndexedEntry indexed : answer.entries()) {
                MetadataEntry entry = RecordCodec.decode(indexed.bytes());
                image = image.apply(indexed.index(), entry);
                entries.add(new MetadataListener.IndexedEntry(indexed.index(), entry));
            }
            listener.onImage(before, image, entries);
        }
        nextIndex = Math.max(nextIndex, answer.nextIndex());
    }

    private void failed(QuorumVoter from, Throwable problem) {
        failures++;
        if (failures == 1 || failures % 100 == 0) {
            LOG.info("controller {} does not send metadata ({}), asking another", from.id(), problem.toString());
        }
        current++;
        // At once while there are others to ask, then slower.
        int rounds = failures / leader.voters().size();
        run(this::poll, rounds == 0 ? 0 : Math.min(MAX_RETRY_MS, RETRY_MS * rounds));
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
