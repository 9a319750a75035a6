package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Cuts one connection's bytes into frames (a length of four bytes, then that many), reading each straight into the
 * buffer it stays in: the socket's next read goes into the unfinished frame. Only the first bytes of a frame larger than
 * predicted are copied.
 *
 * <p>An announced length alone makes nobody allocate it: the buffer of an unfinished frame has at most the largest of
 * 64 KiB (a read of the ordinary size), the size of the connection's last complete frame up to 1 MiB (it has shown that
 * it sends such), and four times what has arrived of this frame. So what a peer can make us hold is bounded by what it
 * pays for, and a frame far above the prediction is copied a third of once.
 */
public final class FrameReader {
    private static final int LENGTH_BYTES = 4;
    private static final int MIN_READ = 4 << 10;
    private static final int MAX_PREDICTED = 1 << 20;
    private static final int UNPROVEN = 64 << 10;
    private static final int GROWTH = 4;

    private final FramePool pool;
    private final int maxFrameBytes;
    private final FrameBudget budget;
    /** Bytes read and not yet given out, from the start of a frame; null if none. */
    private ByteBuf pending;

    private int predicted = 16 << 10;

    /** {@code maxFrameBytes} bounds the announced length of a frame. */
    public FrameReader(FramePool pool, int maxFrameBytes) {
        this(pool, maxFrameBytes, FrameBudget.UNLIMITED);
    }

    /** What is read counts against {@code budget}; when that is used up, the methods throw IllegalStateException. */
    FrameReader(FramePool pool, int maxFrameBytes, FrameBudget budget) {
        this.pool = pool;
        this.maxFrameBytes = maxFrameBytes;
        this.budget = budget;
    }

    /** To be set as the channel's receive allocator; each buffer it hands out must come back to {@link #received}. */
    public RecvByteBufAllocator allocator() {
        return new Allocator();
    }

    /** Takes over what the channel read. */
    public void received(ByteBuf read) {
        if (read == pending) {
            read.release(); // the reference that allocate() added for the read
        } else if (pending == null) {
            pending = read;
        } else {
            // Only when the peer half-closes while its requests are held back: the channel reads once more.
            ByteBuf joined = pool.take(pending.readableBytes() + read.readableBytes(), budget);
            joined.writeBytes(pending).writeBytes(read);
            pending.release();
            read.release();
            pending = joined;
        }
    }

    /**
     * The next complete frame without its length, with a reference of its own; null if it is not complete yet. A length
     * that is not positive or above the limit throws, and the connection is beyond repair.
     */
    public ByteBuf next() throws InvalidFrameException {
        if (pending == null) {
            return null;
        }
        int have = pending.readableBytes();
        if (have < LENGTH_BYTES) {
            makeRoom(have, predicted);
            return null;
        }
        int length = pending.getInt(pending.readerIndex());
        if (length <= 0) {
            throw new InvalidFrameException("a frame announces " + length + " bytes");
        }
        if (length > maxFrameBytes) {
            throw new InvalidFrameException(
                    "a frame announces " + length + " bytes, more than the limit of " + maxFrameBytes);
        }
        if (have - LENGTH_BYTES < length) {
            makeRoom(have, LENGTH_BYTES + (long) length);
            return null;
        }
        pending.skipBytes(LENGTH_BYTES);
        ByteBuf frame = pending.readRetainedSlice(length);
        predicted = Math.max(MIN_READ, Math.min(MAX_PREDICTED, LENGTH_BYTES + length));
        if (!pending.isReadable()) {
            close();
        }
        return frame;
    }

    /** Drops what is unfinished. */
    public void close() {
        if (pending != null) {
            pending.release();
            pending = null;
        }
    }

    private void makeRoom(int have, long need) {
        int bound = Math.max(UNPROVEN, Math.max(predicted, (int) Math.min(Integer.MAX_VALUE, (long) GROWTH * have)));
        int target = (int) Math.min(need, bound);
        if (pending.readerIndex() == 0 && pending.capacity() >= target && pending.isWritable()) {
            return;
        }
        ByteBuf larger = pool.take(Math.max(target, have + 1), budget);
        larger.writeBytes(pending);
        pending.release();
        pending = larger;
    }

    private final class Allocator extends DefaultMaxMessagesRecvByteBufAllocator {
        @Override
        public MaxMessageHandle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public ByteBuf allocate(ByteBufAllocator ignored) {
                    return pending != null && pending.isWritable() ? pending.retain() : pool.take(predicted, budget);
                }

                @Override
                public int guess() {
                    return predicted;
                }
            };
        }
    }
}
