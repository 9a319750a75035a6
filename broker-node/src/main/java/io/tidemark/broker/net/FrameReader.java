package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.Set;

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
    /** Record type and major version, in front of every TLS version's first record. */
    private static final int TLS_HANDSHAKE = 0x1603;

    /** "GET ", "POST", "HEAD", "PUT ", "OPTI" and "PRI ", read as a length. */
    private static final Set<Integer> HTTP_METHODS =
            Set.of(0x47455420, 0x504F5354, 0x48454144, 0x50555420, 0x4F505449, 0x50524920);

    private final FramePool pool;
    private final int maxFrameBytes;
    private final FrameBudget budget;
    /** Where the memory of the next read comes from: {@link #budget}, or what goes beyond it until this frame ends. */
    private FrameBudget source;
    /** Bytes read and not yet given out, from the start of a frame; null if none. */
    private ByteBuf pending;

    private int predicted = 16 << 10;
    /** What the budget refused for the next read; 0 if nothing. */
    private int missing;

    /** {@code maxFrameBytes} bounds the announced length of a frame. */
    public FrameReader(FramePool pool, int maxFrameBytes) {
        this(pool, maxFrameBytes, FrameBudget.UNLIMITED);
    }

    /**
     * What is read counts against {@code budget}. When that is used up, one small read is still taken, and {@link #missing} says
     * what would be needed for the next.
     */
    FrameReader(FramePool pool, int maxFrameBytes, FrameBudget budget) {
        this.pool = pool;
        this.maxFrameBytes = maxFrameBytes;
        this.budget = budget;
        this.source = budget;
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
            ByteBuf joined = pool.overdraw(pending.readableBytes() + read.readableBytes(), budget);
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
            tryToFeed();
            return null;
        }
        int have = pending.readableBytes();
        if (have < LENGTH_BYTES) {
            makeRoom(have, predicted);
            return null;
        }
        int length = pending.getInt(pending.readerIndex());
        if (length <= 0 || length > maxFrameBytes) {
            throw new InvalidFrameException(whatAnnounces(length));
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
        } else if (source != budget) {
            ByteBuf rest = pool.overdraw(Math.max(MIN_READ, pending.readableBytes()), budget);
            rest.writeBytes(pending);
            pending.release();
            pending = rest;
            backToBudget();
        }
        return frame;
    }

    private String whatAnnounces(int length) {
        if (length >>> 16 == TLS_HANDSHAKE) {
            return "the client begins a TLS handshake, and this listener is PLAINTEXT";
        }
        if (HTTP_METHODS.contains(length)) {
            return "the client speaks HTTP";
        }
        return "a frame announces " + length + " bytes"
                + (length <= 0 ? "" : ", more than the limit of " + maxFrameBytes);
    }

    /** The budget's word that the next read may take its memory there. */
    void feedFrom(FrameBudget allowed) {
        source = allowed;
    }

    private void backToBudget() {
        if (source != budget) {
            source = budget;
            budget.favourEnds();
        }
    }

    /**
     * What the budget refused; 0 if nothing. Until {@link #next}, called again, has found as much, the channel should not
     * be read.
     */
    int missing() {
        return missing;
    }

    /** Whether a frame has begun. */
    boolean unfinished() {
        return pending != null;
    }

    /** Drops what is unfinished. */
    public void close() {
        if (pending != null) {
            pending.release();
            pending = null;
        }
        backToBudget();
    }

    private void makeRoom(int have, long need) {
        int bound = Math.max(UNPROVEN, Math.max(predicted, (int) Math.min(Integer.MAX_VALUE, (long) GROWTH * have)));
        int target = (int) Math.min(need, bound);
        if (pending.readerIndex() == 0 && pending.capacity() >= target && pending.isWritable()) {
            missing = 0;
            return;
        }
        int size = Math.max(target, have + 1);
        ByteBuf larger = pool.tryTake(size, source);
        missing = larger == null ? size : 0;
        if (larger != null) {
            larger.writeBytes(pending);
            pending.release();
            pending = larger;
        }
    }

    /** Looks whether there would be room for a read, without keeping it: an idle connection holds nothing. */
    private void tryToFeed() {
        if (missing > 0 && source.tryReserve(predicted)) {
            missing = 0;
            source.release(predicted);
        }
    }

    private ByteBuf fresh() {
        ByteBuf buffer = pool.tryTake(predicted, source);
        missing = buffer == null ? predicted : 0;
        return buffer == null ? pool.overdraw(MIN_READ, budget) : buffer;
    }

    private final class Allocator extends DefaultMaxMessagesRecvByteBufAllocator {
        @Override
        public MaxMessageHandle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public ByteBuf allocate(ByteBufAllocator ignored) {
                    return pending != null && pending.isWritable() ? pending.retain() : fresh();
                }

                @Override
                public int guess() {
                    return predicted;
                }
            };
        }
    }
}
