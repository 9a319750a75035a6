package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Walks the batch headers of one segment from a batch boundary on. Stops at the limit or at the first batch that cannot
 * be one; {@link #damage} then says what is wrong with it.
 */
final class BatchScanner {
    /** Reads ahead this much when most of a file is walked. */
    static final int BULK = 256 << 10;

    /** Reads ahead this much when a few batches are looked for. */
    static final int NEAR = 4096;

    private final Disk.File file;
    private final long limit;
    /** Batches that end above this offset are read wholly. */
    private final long checkedAbove;

    /** Behind the batch returned last. */
    private long nextOffset;

    private final ByteBuffer buffer;
    private long bufferStart;
    private long position;
    private long batchPosition = -1;
    private String damage;

    /** Batches in [position, limit) of the file; {@code checkSums}: read them wholly and compare their checksums. */
    BatchScanner(Disk.File file, long position, long limit, int readAhead, boolean checkSums) {
        this(file, position, limit, readAhead, checkSums ? 0 : Long.MAX_VALUE);
    }

    /** @param checkedAbove batches that end above this offset are read wholly, and their checksums compared */
    BatchScanner(Disk.File file, long position, long limit, int readAhead, long checkedAbove) {
        this.file = file;
        this.position = position;
        this.limit = limit;
        this.checkedAbove = checkedAbove;
        this.buffer = ByteBuffer.allocate((int) Math.max(BatchHeader.SIZE, Math.min(readAhead, limit - position)));
        buffer.limit(0);
    }

    /** The next batch, or null at the limit or at damage. */
    BatchHeader next() throws IOException {
        if (damage != null || position >= limit) {
            return null;
        }
        if (limit - position < BatchHeader.SIZE || !load(position, BatchHeader.SIZE)) {
            return damaged("partial header");
        }
        BatchHeader header = BatchHeader.read(buffer, (int) (position - bufferStart));
        if (!header.isPlausible()) {
            return damaged("not a v2 batch");
        }
        if (limit - position < header.sizeInBytes()) {
            return damaged("partial batch");
        }
        if (header.nextOffset() > checkedAbove && checksum(header.sizeInBytes()) != header.crc()) {
            return damaged("wrong checksum");
        }
        batchPosition = position;
        position += header.sizeInBytes();
        nextOffset = header.nextOffset();
        return header;
    }

    /** Position of the batch returned last. */
    int batchPosition() {
        return (int) batchPosition;
    }

    /** Position behind the batch returned last: where the next one starts. */
    int position() {
        return (int) position;
    }

    /** What stopped the walk before its limit, or null. */
    String damage() {
        return damage;
    }

    private BatchHeader damaged(String what) {
        damage = what + " at position " + position;
        return null;
    }

    private boolean load(long from, int bytes) throws IOException {
        if (from >= bufferStart && from + bytes <= bufferStart + buffer.limit()) {
            return true;
        }
        // Where only some batches are checked, those before them are skipped in small steps.
        boolean skipping = checkedAbove < Long.MAX_VALUE && nextOffset < checkedAbove;
        int ahead = skipping ? Math.min(NEAR, buffer.capacity()) : buffer.capacity();
        buffer.clear().limit((int) Math.min(Math.max(ahead, bytes), limit - from));
        file.read(buffer, from);
        buffer.flip();
        bufferStart = from;
        return buffer.limit() >= bytes;
    }

    private int checksum(int sizeInBytes) throws IOException {
        CRC32C crc = new CRC32C();
        long from = position + BatchHeader.CHECKED_FROM;
        long end = position + sizeInBytes;
        while (from < end) {
            if (!load(from, 1)) {
                return ~(int) crc.getValue();
            }
            int at = (int) (from - bufferStart);
            int length = (int) Math.min(end - from, buffer.limit() - at);
            crc.update(buffer.duplicate().limit(at + length).position(at));
            from += length;
        }
        return (int) crc.getValue();
    }
}
