package io.tidemark.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Frames come out as they went in, however the bytes are cut, and no buffer is lost or used twice. */
class FrameReaderTest {
    private static final int LIMIT = 10 << 20;

    @Property(tries = 200)
    void framesSurviveAnyCut(
            @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 200_000) Integer> sizes, @ForAll long seed)
            throws Exception {
        Random random = new Random(seed);
        ByteBuffer stream =
                ByteBuffer.allocate(sizes.stream().mapToInt(size -> size + 4).sum());
        for (int i = 0; i < sizes.size(); i++) {
            stream.putInt(sizes.get(i));
            for (int j = 0; j < sizes.get(i); j++) {
                stream.put((byte) (i + j));
            }
        }
        stream.flip();
        long before = directBytes();
        FramePool pool = new FramePool(() -> true);
        FrameReader reader = new FrameReader(pool, LIMIT);
        RecvByteBufAllocator.ExtendedHandle handle = handle(reader);
        List<ByteBuf> frames = new ArrayList<>();
        while (stream.hasRemaining()) {
            ByteBuf buffer = handle.allocate(null);
            assertThat(buffer.isWritable()).isTrue();
            int bytes = Math.min(stream.remaining(), 1 + random.nextInt(buffer.writableBytes()));
            buffer.writeBytes(stream.slice().limit(bytes));
            stream.position(stream.position() + bytes);
            reader.received(buffer);
            for (ByteBuf frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame);
                if (random.nextBoolean() && frames.size() > 3) {
                    check(frames, sizes, random.nextInt(frames.size()));
                }
            }
        }
        assertThat(frames).hasSameSizeAs(sizes);
        for (int i = 0; i < frames.size(); i++) {
            check(frames, sizes, i);
            frames.get(i).release();
        }
        reader.close();
        pool.close();
        assertThat(directBytes()).isEqualTo(before);
    }

    private static void check(List<ByteBuf> frames, List<Integer> sizes, int i) {
        ByteBuf frame = frames.get(i);
        assertThat(frame.readableBytes()).isEqualTo(sizes.get(i));
        for (int j = 0; j < sizes.get(i); j += 7) {
            assertThat(frame.getByte(frame.readerIndex() + j)).isEqualTo((byte) (i + j));
        }
    }

    @Test
    void anAnnouncedLengthIsNotAllocated() throws Exception {
        FramePool pool = new FramePool(() -> true);
        FrameReader reader = new FrameReader(pool, LIMIT);
        RecvByteBufAllocator.ExtendedHandle handle = handle(reader);
        int sent = 4;
        int length = LIMIT;
        ByteBuf first = handle.allocate(null);
        first.writeInt(length);
        reader.received(first);
        assertThat(reader.next()).isNull();
        while (sent < length + 4) {
            ByteBuf buffer = handle.allocate(null);
            assertThat(buffer.capacity()).isLessThanOrEqualTo(Math.max(64 << 10, 4 * sent));
            int bytes = Math.min(50_000, Math.min(buffer.writableBytes(), length + 4 - sent));
            buffer.writeZero(bytes);
            sent += bytes;
            reader.received(buffer);
            ByteBuf frame = reader.next();
            assertThat(frame != null).isEqualTo(sent == length + 4);
            if (frame != null) {
                frame.release();
            }
        }
        reader.close();
        pool.close();
    }

    @Test
    void classesAreQuarterPowersOfTwo() {
        int last = 0;
        for (int bytes = 1; bytes <= FramePool.MAX_POOLED_BYTES; bytes += 1 + bytes / 50) {
            int sizeClass = FramePool.classOf(bytes);
            assertThat(FramePool.sizeOf(sizeClass)).isGreaterThanOrEqualTo(bytes);
            assertThat(sizeClass).isGreaterThanOrEqualTo(last);
            if (sizeClass > 0) {
                assertThat(FramePool.sizeOf(sizeClass - 1)).isLessThan(bytes);
            }
            last = sizeClass;
        }
        assertThat(FramePool.sizeOf(FramePool.classOf(FramePool.MAX_POOLED_BYTES)))
                .isEqualTo(FramePool.MAX_POOLED_BYTES);
    }

    @Test
    void memoryIsUsedAgainWhicheverThreadGaveItBack() throws Exception {
        Thread owner = Thread.currentThread();
        FramePool pool = new FramePool(() -> Thread.currentThread() == owner);
        ByteBuf first = pool.take(5000);
        first.writeInt(42);
        long before = directBytes();
        Thread other = new Thread(first::release);
        other.start();
        other.join();
        ByteBuf second = pool.take(4900);
        assertThat(directBytes()).isEqualTo(before);
        assertThat(second.readableBytes()).isZero();
        assertThat(second.capacity()).isEqualTo(4900);
        second.release();
        pool.close();
    }

    private static RecvByteBufAllocator.ExtendedHandle handle(FrameReader reader) {
        return (RecvByteBufAllocator.ExtendedHandle) reader.allocator().newHandle();
    }

    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    @Test
    void framesOfAllReadersCountAgainstOneBudgetUntilTheyAreReleased() throws InvalidFrameException {
        FramePool pool = new FramePool(() -> true);
        FrameBudget budget = new FrameBudget(40 << 20);
        ByteBuf small = pool.tryTake(1 << 20, budget);
        ByteBuf large = pool.tryTake(30 << 20, budget);
        ByteBuf slice = large.retainedSlice(0, 10);
        assertThat(budget.used()).isEqualTo(31 << 20);
        assertThat(pool.tryTake(10 << 20, budget)).isNull();
        assertThat(pool.tryTake(1 << 30, budget)).isNull();
        large.release();
        assertThat(budget.used()).isEqualTo(31 << 20);
        slice.release();
        small.release();
        assertThat(budget.used()).isZero();
        pool.tryTake(40 << 20, budget).release();
        pool.close();
    }
}
