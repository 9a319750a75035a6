package io.tidemark.broker.log;

import io.tidemark.model.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a log grows: its end, and the batches staged beyond it until one gathering write puts them all into the active
 * segment. {@code end <= stagedEnd}, and equal if nothing is staged.
 */
final class LogTail {
    private final List<ByteBuffer> staged = new ArrayList<>();
    private int stagedBytes;
    private long end;
    private long stagedEnd;

    LogTail(long end) {
        this.end = end;
        this.stagedEnd = end;
    }

    /** The end of what was written. */
    long end() {
        return end;
    }

    /** The offset the next staged batch must have. */
    long stagedEnd() {
        return stagedEnd;
    }

    boolean nothingStaged() {
        return staged.isEmpty();
    }

    /** Bytes of the active segment, with those that are staged for it. */
    long sizeOf(Segment active) {
        return (long) active.size + stagedBytes;
    }

    /** As {@link SegmentLog#stage}; the index of the active segment and the producers learn of the batches at once. */
    void stage(ByteBuffer batches, int epoch, Segment active, ProducerStates producers, int memoryIndexBytes) {
        int at = batches.position();
        Check.that(sizeOf(active) + batches.remaining() <= Integer.MAX_VALUE, "a segment stays below 2 GiB");
        while (at < batches.limit()) {
            Check.that(batches.limit() - at >= BatchHeader.SIZE, "a staged batch has a whole header");
            BatchHeader header = BatchHeader.read(batches, at);
            Check.that(header.isPlausible(), "a staged batch is a v2 batch");
            Check.that(batches.limit() - at >= header.sizeInBytes(), "a staged batch is whole");
            Check.that(header.baseOffset() == stagedEnd, "a staged batch starts at the end", header.baseOffset(), end);
            Check.that(header.leaderEpoch() == epoch, "a staged batch has the epoch", header.leaderEpoch(), epoch);
            int position = active.size + stagedBytes;
            active.index.offer(header.baseOffset(), position, active.maxTimestamp, memoryIndexBytes);
            if (position == 0) {
                active.firstTimestamp = header.maxTimestamp();
            }
            active.maxTimestamp = Math.max(active.maxTimestamp, header.maxTimestamp());
            producers.append(header);
            stagedEnd = header.nextOffset();
            stagedBytes += header.sizeInBytes();
            at += header.sizeInBytes();
        }
        staged.add(batches.duplicate());
    }

    /** Writes everything staged and returns how many bytes that were. After an IOException the tail is of no use. */
    int write(Segment active) throws IOException {
        active.file().write(staged.toArray(ByteBuffer[]::new), active.size);
        int written = stagedBytes;
        active.size += written;
        end = stagedEnd;
        staged.clear();
        stagedBytes = 0;
        return written;
    }

    /** The log was cut there, or begins anew. */
    void moveTo(long offset) {
        end = offset;
        stagedEnd = offset;
    }
}
