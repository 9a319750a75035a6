package io.tidemark.broker.api;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Bounds what the records of a compressed batch take when they are unpacked, before anything unpacks them: a few
 * kilobytes can stand for gigabytes, and a length inside of them makes its reader allocate that much. The structure of
 * the compressed bytes bounds the result for all batches of the ordinary kind; only the others are unpacked here, as far
 * as the limit, to see what is in them.
 */
final class InflationGuard {
    /** What 1 byte of deflate or lz4 can become at most. */
    private static final int GZIP_RATIO = 1032;

    private static final int LZ4_RATIO = 255;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private static final int SNAPPY_HEADER_BYTES = 16;
    private static final long SNAPPY_MAGIC = 0x82534E4150505900L;

    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int ZSTD_SKIPPABLE = 0x184D2A50;
    private static final int ZSTD_MAX_BLOCK = 128 << 10;

    private static final int SCRATCH_BYTES = 16 << 10;

    private InflationGuard() {}

    /**
     * Throws RecordTooLargeException if the records unpack to more than {@code limit} bytes, and InvalidRecordException
     * if they are not readable as {@code count} records, as far as that is looked at.
     *
     * @param compressed the bytes behind the batch's header; position and limit stay
     * @param everyRecord looks at the length of every record, for a reader that allocates by it
     */
    static void check(
            ByteBuffer compressed,
            CompressionType type,
            int count,
            long limit,
            boolean everyRecord,
            BufferSupplier buffers) {
        long bound = bound(compressed.duplicate(), type, limit);
        if (bound <= limit && !everyRecord) {
            return;
        }
        // Snappy's reader allocates what a chunk announces; the announcements were added up above.
        if (type == CompressionType.SNAPPY && bound > limit) {
            throw tooLarge(limit);
        }
        try (InputStream in = Compression.of(type)
                .build()
                .wrapForInput(compressed.duplicate(), RecordBatch.MAGIC_VALUE_V2, buffers)) {
            walk(in, count, limit);
        } catch (IOException | RuntimeException e) {
            if (e instanceof RecordTooLargeException tooLarge) {
                throw tooLarge;
            }
            throw new InvalidRecordException("the compressed records cannot be read: " + e.getMessage(), e);
        }
    }

    /** At most so many bytes come out; {@link #UNKNOWN} if the structure does not say. */
    static long bound(ByteBuffer compressed, CompressionType type, long limit) {
        return switch (type) {
            case NONE -> compressed.remaining();
            case GZIP -> (long) GZIP_RATIO * compressed.remaining();
            case LZ4 -> (long) LZ4_RATIO * compressed.remaining();
            case SNAPPY -> snappy(compressed, limit);
            case ZSTD -> zstd(compressed.order(ByteOrder.LITTLE_ENDIAN));
        };
    }

    /** One block, or behind a header chunks of a length and a block; a block starts with its unpacked length. */
    private static long snappy(ByteBuffer in, long limit) {
        if (in.remaining() < SNAPPY_HEADER_BYTES || in.getLong(in.position()) != SNAPPY_MAGIC) {
            return snappyLength(in);
        }
        in.position(in.position() + SNAPPY_HEADER_BYTES);
        long sum = 0;
        while (in.hasRemaining()) {
            if (in.remaining() < Integer.BYTES) {
                throw new InvalidRecordException("a snappy chunk is cut short");
            }
            int size = in.getInt();
            if (size == (int) (SNAPPY_MAGIC >>> 32) && in.remaining() >= SNAPPY_HEADER_BYTES - Integer.BYTES) {
                in.position(in.position() + SNAPPY_HEADER_BYTES - Integer.BYTES); // streams may be joined
                continue;
            }
            if (size < 0 || size > in.remaining()) {
                throw new InvalidRecordException("a snappy chunk announces " + size + " bytes");
            }
            sum += snappyLength(in.duplicate().limit(in.position() + size));
            if (sum > limit) {
                return sum;
            }
            in.position(in.position() + size);
        }
        return sum;
    }

    private static long snappyLength(ByteBuffer chunk) {
        try {
            return ByteUtils.readUnsignedVarint(chunk) & 0xFFFFFFFFL;
        } catch (RuntimeException e) {
            throw new InvalidRecordException("a snappy chunk has no length", e);
        }
    }

    /** Frames of blocks; a block's head says its kind and size (RFC 8878). */
    private static long zstd(ByteBuffer in) {
        long sum = 0;
        try {
            while (in.hasRemaining()) {
                int magic = in.getInt();
                if ((magic & ~0xF) == ZSTD_SKIPPABLE) {
                    skip(in, in.getInt());
                } else if (magic == ZSTD_MAGIC) {
                    sum += zstdFrame(in);
                } else {
                    return UNKNOWN;
                }
            }
        } catch (IndexOutOfBoundsException | java.nio.BufferUnderflowException | IllegalArgumentException e) {
            return UNKNOWN;
        }
        return sum;
    }

    private static long zstdFrame(ByteBuffer in) {
        int descriptor = in.get();
        boolean singleSegment = (descriptor & 0x20) != 0;
        int contentSizeFlag = (descriptor >> 6) & 3;
        int contentSize = contentSizeFlag == 0 ? (singleSegment ? 1 : 0) : 1 << contentSizeFlag;
        int dictionary = new int[] {0, 1, 2, 4}[descriptor & 3];
        skip(in, (singleSegment ? 0 : 1) + dictionary + contentSize);
        long sum = 0;
        boolean last = false;
        while (!last) {
            int head = (in.get() & 0xFF) | (in.getShort() & 0xFFFF) << 8;
            last = (head & 1) != 0;
            int size = head >>> 3;
            boolean repeated = ((head >> 1) & 3) == 1;
            boolean packed = ((head >> 1) & 3) == 2;
            sum += packed ? ZSTD_MAX_BLOCK : size;
            skip(in, repeated ? 1 : size);
        }
        skip(in, (descriptor & 4) != 0 ? Integer.BYTES : 0);
        return sum;
    }

    private static void skip(ByteBuffer in, int bytes) {
        if (bytes < 0 || bytes > in.remaining()) {
            // Back to where the walk came from would be for ever.
            throw new IllegalArgumentException("a length of " + bytes);
        }
        in.position(in.position() + bytes);
    }

    private static void walk(InputStream in, int count, long limit) throws IOException {
        byte[] scratch = new byte[SCRATCH_BYTES];
        long total = 0;
        for (int i = 0; i < count; i++) {
            int length = varint(in);
            if (length < 0) {
                throw new InvalidRecordException("a record announces " + length + " bytes");
            }
            total += 1L + length;
            if (total > limit) {
                throw tooLarge(limit);
            }
            skip(in, length, scratch);
        }
    }

    private static int varint(InputStream in) throws IOException {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += 7) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("fewer records than announced");
            }
            value |= (next & 0x7F) << shift;
            if ((next & 0x80) == 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new InvalidRecordException("the length of a record is not readable");
    }

    private static void skip(InputStream in, int bytes, byte[] scratch) throws IOException {
        int left = bytes;
        while (left > 0) {
            int read = in.read(scratch, 0, Math.min(left, scratch.length));
            if (read <= 0) {
                throw new EOFException("a record is cut short");
            }
            left -= read;
        }
    }

    private static RecordTooLargeException tooLarge(long limit) {
        return new RecordTooLargeException("the records unpack to more than the " + limit + " bytes allowed");
    }
}
