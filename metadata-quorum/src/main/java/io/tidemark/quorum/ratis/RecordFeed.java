package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.metadata.QuorumQuery.IndexedEntry;
import io.tidemark.model.metadata.QuorumQuery.Poll;
import io.tidemark.model.metadata.QuorumQuery.PollAnswer;
import io.tidemark.model.metadata.QuorumQuery.QuorumIdentity;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Answers the long polls of those who follow the log (R7.97). Entries come from the ring in memory, else from the log
 * on disk, else the reader gets the image. All state belongs to one thread of its own, so neither the applying thread
 * nor a network thread ever waits for a reader.
 *
 * <p>A poll that is up to date is parked; it is answered at once when an urgent entry is applied (leadership or fencing
 * changed), after at most {@value #LINGER_MS} ms for others, so that a burst costs each reader one answer, and empty
 * when its time has passed.
 */
final class RecordFeed implements AutoCloseable {
    static final long LINGER_MS = 20;
    private static final int MAX_WAIT_MS = 10_000;
    private static final int MAX_ANSWER_BYTES = 4 * 1024 * 1024;
    private static final int RING_ENTRIES = 20_000;
    private static final long RING_BYTES = 32L * 1024 * 1024;

    /** What is no longer in the ring. Called on a thread of its own, may read files. */
    interface History {
        /** The answer to a poll whose position is not in the ring. */
        PollAnswer read(long nextIndex, int maxBytes);
    }

    private record Parked(Poll poll, CompletableFuture<byte[]> answer, long deadlineMs) {}

    private final ScheduledThreadPoolExecutor thread;
    private final ExecutorService slow;
    private final RecordRing ring;
    private final History history;
    private final IntSupplier leaderId;
    private final Supplier<QuorumIdentity> identity;
    private final NodeClock clock;
    private final LargeAnswers large;
    private final List<Parked> parked = new ArrayList<>();
    private boolean flushArmed;

    /** {@code identity} is what the quorum is, as this controller knows it. */
    RecordFeed(
            String name,
            History history,
            IntSupplier leaderId,
            Supplier<QuorumIdentity> identity,
            NodeClock clock,
            RandomGenerator random) {
        this.history = history;
        this.leaderId = leaderId;
        this.identity = identity;
        this.clock = clock;
        this.ring = new RecordRing(RING_ENTRIES, RING_BYTES);
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon(name + "-feed"));
        this.thread.setRemoveOnCancelPolicy(true);
        this.slow = Executors.newSingleThreadExecutor(Threads.daemon(name + "-feed-history"));
        this.large = new LargeAnswers(clock, this::later, random.nextLong());
        ring.reset(-1);
    }

    /** What is too large for a message, of this feed and of other answers. */
    LargeAnswers large() {
        return large;
    }

    private void later(Runnable task, long delayMs) {
        run(() -> thread.schedule(task, delayMs, TimeUnit.MILLISECONDS));
    }

    /** Starts anew behind that index: after a start from a snapshot, or an install. */
    void reset(long appliedIndex) {
        run(() -> {
            ring.reset(appliedIndex);
            serveParked();
        });
    }

    /** An entry was applied. */
    void applied(long index, byte[] bytes, boolean urgent) {
        run(() -> {
            ring.add(index, new RecordRing.Slot(bytes, nowMs(), urgent));
            if (urgent) {
                serveParked();
            } else if (!parked.isEmpty()) {
                armFlush(LINGER_MS);
            }
        });
    }

    /** The encoded answer, later; never an error except that the feed is closed. */
    CompletableFuture<byte[]> poll(Poll asked) {
        Poll poll = new Poll(
                asked.nextIndex(),
                Math.max(0, Math.min(asked.waitMs(), MAX_WAIT_MS)),
                Math.max(1, Math.min(asked.maxBytes(), MAX_ANSWER_BYTES)),
                asked.knownQuorum());
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Parked reader = new Parked(poll, answer, nowMs() + poll.waitMs());
        if (!run(() -> receive(reader))) {
            answer.complete(QueryCodec.encodeFailure("this controller is closing"));
        }
        return answer;
    }

    private void receive(Parked reader) {
        if (!serve(reader, nowMs())) {
            parked.add(reader);
            thread.schedule(this::serveParked, reader.poll.waitMs(), TimeUnit.MILLISECONDS);
        }
    }

    private void serveParked() {
        long now = nowMs();
        for (Iterator<Parked> readers = parked.iterator(); readers.hasNext(); ) {
            if (serve(readers.next(), now)) {
                readers.remove();
            }
        }
    }

    /** Answers the reader if it is due. */
    private boolean serve(Parked reader, long now) {
        Poll poll = reader.poll;
        if (!ring.holdsFrom(poll.nextIndex())) {
            readHistory(reader);
            return true;
        }
        long due = ring.dueMs(poll.nextIndex(), LINGER_MS, now);
        if (due > now && reader.deadlineMs > now) {
            if (due != Long.MAX_VALUE) {
                armFlush(due - now);
            }
            return false;
        }
        List<IndexedEntry> entries = ring.from(poll.nextIndex(), poll.maxBytes());
        long next = entries.isEmpty()
                ? poll.nextIndex()
                : entries.get(entries.size() - 1).index() + 1;
        reader.answer.complete(encode(poll, new PollAnswer(null, entries, next, leaderId.getAsInt())));
        return true;
    }

    /** A whole image, with what is told beside it. */
    private record WholeImage(QuorumIdentity told, long nextIndex) {
        /** Whether it serves a reader at that position who is to be told that. */
        boolean serves(long position, QuorumIdentity toTell) {
            return nextIndex > position && Objects.equals(told, toTell);
        }
    }

    private void readHistory(Parked reader) {
        offload(reader.answer, () -> old(reader.poll));
    }

    /** Readers that need the whole image share one for a while, for what came after it they find in the log. */
    private byte[] old(Poll poll) {
        PollAnswer answer = history.read(poll.nextIndex(), poll.maxBytes()).telling(identity.get(), poll);
        if (answer.image() == null) {
            return QueryCodec.encode(answer);
        }
        byte[] shared =
                large.shared(key -> key instanceof WholeImage whole && whole.serves(poll.nextIndex(), answer.quorum()));
        return shared != null
                ? shared
                : large.sent(QueryCodec.encode(answer), new WholeImage(answer.quorum(), answer.nextIndex()));
    }

    private byte[] encode(Poll poll, PollAnswer answer) {
        return QueryCodec.encode(answer.telling(identity.get(), poll));
    }

    /** Computes an answer on the thread for slow ones; what fails is answered in words. */
    void offload(CompletableFuture<byte[]> answer, Supplier<byte[]> work) {
        try {
            slow.execute(() -> {
                try {
                    answer.complete(work.get());
                } catch (RuntimeException e) {
                    answer.complete(QueryCodec.encodeFailure(e.toString()));
                }
            });
        } catch (RejectedExecutionException e) {
            answer.complete(QueryCodec.encodeFailure("this controller is closing"));
        }
    }

    private void armFlush(long delayMs) {
        if (!flushArmed) {
            flushArmed = true;
            thread.schedule(
                    () -> {
                        flushArmed = false;
                        serveParked();
                    },
                    delayMs,
                    TimeUnit.MILLISECONDS);
        }
    }

    private boolean run(Runnable task) {
        try {
            thread.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private long nowMs() {
        return clock.mono().ms();
    }

    /** Answers everybody who waits, so that no caller hangs. */
    @Override
    public void close() {
        run(() -> {
            for (Parked reader : parked) {
                reader.answer.complete(QueryCodec.encodeFailure("this controller is closing"));
            }
            parked.clear();
        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.shutdown();
        slow.shutdown();
    }
}
