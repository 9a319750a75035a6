package io.tidemark.broker.api;

import io.tidemark.broker.log.BatchHeader;
import java.nio.ByteBuffer;

/**
 * Walks the records of a batch that is not compressed, without an object for any of them: answers whether the batch is
 * exactly what a producer should send, so that Kafka's validator would append it unchanged (R5.20-R5.22). What is not,
 * in whatever way, is left to that validator, which finds the error or mends the batch.
 */
final class PlainRecords {
    private static final int MAX_VARINT = 5;
    private static final int MAX_VARLONG = 10;

    private final ByteBuffer buffer;
    private final int end;
    private int at;

    private PlainRecords(ByteBuffer buffer, int at, int end) {
        this.buffer = buffer;
        this.at = at;
        this.end = end;
    }

    /**
     * @param at where the batch begins; all of it is there and its checksum matches
     * @param keyed whether every record must have a key
     * @param earliestMs and {@code latestMs}: bounds of the records' timestamps, both allowed
     */
    static boolean areSound(
            ByteBuffer buffer, int at, BatchHeader header, boolean keyed, long earliestMs, long latestMs) {
        boolean asProduced = header.baseOffset() == 0
                && header.attributes() == 0
                && header.count() > 0
                && header.lastOffsetDelta() == header.count() - 1
                && (!header.hasProducerId() || header.baseSequence() >= 0)
                && header.baseTimestamp() >= 0;
        return asProduced
                && new PlainRecords(buffer, at + BatchHeader.SIZE, at + header.sizeInBytes())
                        .walk(header, keyed, earliestMs, latestMs);
    }

    private boolean walk(BatchHeader header, boolean keyed, long earliestMs, long latestMs) {
        long max = -1;
        for (int i = 0; i < header.count(); i++) {
            long length = varint();
            int recordEnd = at + (int) length;
            // The shortest has attributes, two deltas, two lengths and a count of headers, of a byte each.
            if (length < 6 || length > end - at) {
                return false;
            }
            at++;
            long timestamp = header.baseTimestamp() + varlong();
            if (timestamp < Math.max(0, earliestMs) || timestamp > latestMs) {
                return false;
            }
            max = Math.max(max, timestamp);
            if (varint() != i) {
                return false;
            }
            long key = varint();
            if (key < (keyed ? 0 : -1) || !skip(key) || !skip(varint()) || !headers()) {
                return false;
            }
            if (at != recordEnd) {
                return false;
            }
        }
        return at == end && max == header.maxTimestamp();
    }

    private boolean headers() {
        long count = varint();
        if (count < 0) {
            return false;
        }
        for (long i = 0; i < count; i++) {
            long key = varint();
            if (key < 0 || !skip(key) || !skip(varint())) {
                return false;
            }
        }
        return true;
    }

    /** Passes over {@code length} bytes, none if it is -1; false if it is less, or they are not there. */
    private boolean skip(long length) {
        if (length < -1 || length > end - at) {
            return false;
        }
        at += (int) Math.max(0, length);
        return true;
    }

    /** A number of up to 32 bits; one that cannot be, or is cut short, comes back as {@link Long#MIN_VALUE}. */
    private long varint() {
        if (at < end) {
            // Nearly all are of one byte.
            int only = buffer.get(at);
            if (only >= 0) {
                at++;
                return only >>> 1 ^ -(only & 1);
            }
        }
        long value = unsigned(MAX_VARINT);
        long number = value >>> 1 ^ -(value & 1);
        return value < 0 || value > 0xffff_ffffL ? Long.MIN_VALUE : number;
    }

    /** A cut number gives one that no timestamp's bounds allow, or leaves the end of the record unreached. */
    private long varlong() {
        long value = unsigned(MAX_VARLONG);
        return value >>> 1 ^ -(value & 1);
    }

    private long unsigned(int maxBytes) {
        long value = 0;
        for (int i = 0; i < maxBytes && at < end; i++) {
            byte next = buffer.get(at++);
            value |= (long) (next & 0x7f) << 7 * i;
            if (next >= 0) {
                return value;
            }
        }
        // Out of everything's range, and nothing is left to read.
        at = end + 1;
        return -1;
    }
}
