package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Answers that are too large for a message, kept while they are read part by part: whole images of large clusters. An
 * answer stays what it was made as, so its parts fit together whatever is decided meanwhile; it is gone when nobody has
 * read of it for {@value #KEPT_MS} ms. Memory is bounded by keeping few: readers who may have the same answer share one, and
 * further ones are told to ask again. Any thread.
 */
final class LargeAnswers {
    static final int MAX_KEPT = 2;
    static final long KEPT_MS = 15_000;

    /** An answer is shared with those who ask within this; from there on they would be told too much that is old. */
    static final long SHARED_MS = 60_000;

    private static final int MESSAGE_BYTES = 16 * 1024 * 1024;
    private static final int PART_BYTES = 4 * 1024 * 1024;

    /** Runs a task after that many milliseconds, once. */
    interface Later {
        void run(Runnable task, long delayMs);
    }

    private static final class Kept {
        final Object key;
        final byte[] answer;
        final byte[] note;
        final long madeMs;
        long readMs;

        Kept(Object key, byte[] answer, byte[] note, long nowMs) {
            this.key = key;
            this.answer = answer;
            this.note = note;
            this.madeMs = nowMs;
            this.readMs = nowMs;
        }
    }

    private final NodeClock clock;
    private final Later later;
    private final Map<Long, Kept> kept = new HashMap<>();
    private int messageBytes = MESSAGE_BYTES;
    private int partBytes = PART_BYTES;
    private long lastId;
    private boolean armed;

    /** @param firstId ids begin there; random, so that an id of the process before means nothing to this one */
    LargeAnswers(NodeClock clock, Later later, long firstId) {
        this.clock = clock;
        this.later = later;
        this.lastId = firstId;
    }

    /** For tests, which have no large images: answers of more bytes are cut into parts of so many. */
    synchronized void cut(int moreThanBytes, int intoBytes) {
        messageBytes = moreThanBytes;
        partBytes = intoBytes;
    }

    /** What to send: the encoded answer itself, or a note under which its parts can be read, or why that cannot be. */
    byte[] sent(byte[] answer) {
        return sent(answer, null);
    }

    /** The same; readers whom that key fits may be given the answer, too. */
    synchronized byte[] sent(byte[] answer, Object key) {
        if (answer.length <= messageBytes) {
            return answer;
        }
        forgetUnread();
        if (kept.size() >= MAX_KEPT) {
            return QueryCodec.encodeFailure(
                    "others are reading " + MAX_KEPT + " large images of this controller; ask again in a moment");
        }
        byte[] note = QueryCodec.encodeLarge(++lastId, answer);
        kept.put(lastId, new Kept(key, answer, note, nowMs()));
        arm();
        return note;
    }

    /** The note of an answer that was kept under a key that fits, if there is a young one; else null. */
    synchronized byte[] shared(Predicate<Object> fits) {
        long now = nowMs();
        for (Kept candidate : kept.values()) {
            if (candidate.key != null && fits.test(candidate.key) && now - candidate.madeMs < SHARED_MS) {
                candidate.readMs = now;
                return candidate.note;
            }
        }
        return null;
    }

    /** The encoded part. */
    synchronized byte[] part(QuorumQuery.ReadPart read) {
        Kept found = kept.get(read.id());
        if (found == null) {
            return QueryCodec.encodeFailure("this controller does not keep that answer any more");
        }
        if (read.offset() < 0 || read.offset() >= found.answer.length) {
            return QueryCodec.encodeFailure(
                    "the answer has " + found.answer.length + " bytes, none at " + read.offset());
        }
        found.readMs = nowMs();
        int from = (int) read.offset();
        int to = (int) Math.min(found.answer.length, read.offset() + partBytes);
        if (found.key == null && to == found.answer.length) {
            // Its only reader has it all.
            kept.remove(read.id());
        }
        return QueryCodec.encodePart(found.answer, from, to);
    }

    /** How many are kept. */
    synchronized int size() {
        return kept.size();
    }

    private void arm() {
        if (!armed) {
            armed = true;
            later.run(this::expire, KEPT_MS);
        }
    }

    private synchronized void expire() {
        armed = false;
        forgetUnread();
        if (!kept.isEmpty()) {
            arm();
        }
    }

    private void forgetUnread() {
        long now = nowMs();
        for (Iterator<Kept> all = kept.values().iterator(); all.hasNext(); ) {
            if (now - all.next().readMs >= KEPT_MS) {
                all.remove();
            }
        }
    }

    private long nowMs() {
        return clock.mono().ms();
    }
}
