package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The free list of one loop's frame buffers: direct memory in size classes of quarter powers of two, because new direct
 * buffers are zeroed and that costs more than all parsing. Buffers are taken on the loop and given back on any thread.
 */
public final class FramePool {
    /** Larger buffers are made and freed one by one. */
    static final int MAX_POOLED_BYTES = 8 << 20;

    private static final int MIN_BYTES = 1 << 10;
    /** In place of a size class. */
    private static final int UNPOOLED = -1;
    /** What the free list may hold: some rounds of reads of busy connections, small against a small heap. */
    private static final long MAX_FREE_BYTES = 32L << 20;

    private final BooleanSupplier onLoop;
    private final List<ArrayDeque<Memory>> free = new ArrayList<>();
    private final Queue<Memory> foreign = new ConcurrentLinkedQueue<>();
    private long freeBytes;
    private volatile boolean closed;

    /** {@code onLoop} tells whether the calling thread is the one that takes buffers. */
    FramePool(BooleanSupplier onLoop) {
        this.onLoop = onLoop;
        for (int i = 0; i <= classOf(MAX_POOLED_BYTES); i++) {
            free.add(new ArrayDeque<>());
        }
    }

    /** An empty buffer whose capacity is exactly that many bytes (1 or more), with one reference. Loop only. */
    ByteBuf take(int bytes) {
        return overdraw(bytes, FrameBudget.UNLIMITED);
    }

    /** As above, at the cost of a budget until the last reference is released; null if it is used up. */
    ByteBuf tryTake(int bytes, FrameBudget budget) {
        return budget.tryReserve(bytes) ? reserved(bytes, budget) : null;
    }

    /** As above, even if the budget is used up. */
    ByteBuf overdraw(int bytes, FrameBudget budget) {
        budget.overdraw(bytes);
        return reserved(bytes, budget);
    }

    private ByteBuf reserved(int bytes, FrameBudget budget) {
        Memory memory = null;
        try {
            memory = bytes > MAX_POOLED_BYTES ? memory(bytes, UNPOOLED) : pooled(bytes);
            return new Buffer(this, memory, bytes, budget);
        } finally {
            if (memory == null) {
                budget.release(bytes);
            }
        }
    }

    private static Memory memory(int size, int sizeClass) {
        ByteBuf backing = UnpooledByteBufAllocator.DEFAULT.directBuffer(size, size);
        return new Memory(backing, backing.nioBuffer(0, size), sizeClass);
    }

    private Memory pooled(int bytes) {
        for (Memory returned = foreign.poll(); returned != null; returned = foreign.poll()) {
            keep(returned);
        }
        int sizeClass = classOf(bytes);
        Memory memory = free.get(sizeClass).pollLast();
        if (memory == null) {
            return memory(sizeOf(sizeClass), sizeClass);
        }
        freeBytes -= memory.bytes.capacity();
        return memory;
    }

    /** Frees what is free, and from now on whatever comes back. Loop only. */
    void close() {
        closed = true;
        for (ArrayDeque<Memory> list : free) {
            list.forEach(Memory::free);
            list.clear();
        }
        for (Memory returned = foreign.poll(); returned != null; returned = foreign.poll()) {
            returned.free();
        }
    }

    private void giveBack(Memory memory) {
        if (closed || memory.sizeClass == UNPOOLED) {
            memory.free();
        } else if (onLoop.getAsBoolean()) {
            keep(memory);
        } else {
            foreign.add(memory);
        }
    }

    private void keep(Memory memory) {
        if (freeBytes + memory.bytes.capacity() > MAX_FREE_BYTES) {
            memory.free();
            return;
        }
        freeBytes += memory.bytes.capacity();
        free.get(memory.sizeClass).addLast(memory);
    }

    /** Classes 0, 1, 2, ... are 1024, 1280, 1536, 1792, 2048, 2560, ... bytes. */
    static int classOf(int bytes) {
        if (bytes <= MIN_BYTES) {
            return 0;
        }
        int below = Integer.highestOneBit(bytes - 1);
        int quarter = below / 4;
        int quarters = (bytes - below + quarter - 1) / quarter;
        return 4 * (Integer.numberOfTrailingZeros(below) - Integer.numberOfTrailingZeros(MIN_BYTES)) + quarters;
    }

    static int sizeOf(int sizeClass) {
        int power = MIN_BYTES << (sizeClass / 4);
        return power + (sizeClass % 4) * (power / 4);
    }

    private record Memory(ByteBuf backing, ByteBuffer bytes, int sizeClass) {
        void free() {
            backing.release();
        }
    }

    /** One use of a piece of memory; a new object each time, so that a late release cannot hit the next user. */
    private static final class Buffer extends UnpooledDirectByteBuf {
        private final FramePool pool;
        private final Memory memory;
        private final FrameBudget budget;

        Buffer(FramePool pool, Memory memory, int bytes, FrameBudget budget) {
            super(UnpooledByteBufAllocator.DEFAULT, memory.bytes.slice(0, bytes), bytes);
            this.pool = pool;
            this.memory = memory;
            this.budget = budget;
            clear();
        }

        @Override
        protected void deallocate() {
            int bytes = capacity();
            super.deallocate();
            budget.release(bytes);
            pool.giveBack(memory);
        }
    }
}
