package io.tidemark.broker.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The fixed 61 bytes at the head of a Kafka v2 record batch, read where they lie; records behind them are not looked at.
 * {@code sizeInBytes} counts the whole batch including this header; {@code maxTimestamp} is in ms.
 */
public record BatchHeader(
        long baseOffset,
        int sizeInBytes,
        int leaderEpoch,
        byte magic,
        int crc,
        short attributes,
        int lastOffsetDelta,
        long baseTimestamp,
        long maxTimestamp,
        long producerId,
        short producerEpoch,
        int baseSequence,
        int count) {
    /** Bytes of the header; no batch is smaller. */
    public static final int SIZE = 61;

    /** Bytes of base offset and length, which the length field does not count. */
    public static final int OVERHEAD = 12;

    private static final int LEADER_EPOCH_AT = 12;
    /** The checksum covers everything from here to the end of the batch, so not the offset and the leader epoch. */
    static final int CHECKED_FROM = 21;

    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;

    /** Reads the header at absolute index {@code at}; 61 bytes must be there. Nothing is validated. */
    public static BatchHeader read(ByteBuffer buffer, int at) {
        return new BatchHeader(
                buffer.getLong(at),
                // Saturates: a length that makes no sense must not wrap into one that does.
                (int) Math.min(Integer.MAX_VALUE, (long) buffer.getInt(at + 8) + OVERHEAD),
                buffer.getInt(at + LEADER_EPOCH_AT),
                buffer.get(at + 16),
                buffer.getInt(at + 17),
                buffer.getShort(at + CHECKED_FROM),
                buffer.getInt(at + 23),
                buffer.getLong(at + 27),
                buffer.getLong(at + 35),
                buffer.getLong(at + 43),
                buffer.getShort(at + 51),
                buffer.getInt(at + 53),
                buffer.getInt(at + 57));
    }

    /** R5.23: writes base offset and leader epoch into the batch at {@code at}; the checksum does not cover them. */
    public static void assign(ByteBuffer buffer, int at, long baseOffset, int leaderEpoch) {
        buffer.putLong(at, baseOffset);
        buffer.putInt(at + LEADER_EPOCH_AT, leaderEpoch);
    }

    /** Whether the complete batch of {@code sizeInBytes} at {@code at} has the checksum it says. */
    public static boolean checksumMatches(ByteBuffer buffer, int at, int sizeInBytes) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(at + sizeInBytes).position(at + CHECKED_FROM));
        return (int) crc.getValue() == buffer.getInt(at + 17);
    }

    /** Whether the fields can be those of a batch in a log: v2, no negative offset, epoch or size (not the checksum). */
    public boolean isPlausible() {
        return magic == 2
                && baseOffset >= 0
                && leaderEpoch >= 0
                && sizeInBytes >= SIZE
                && lastOffsetDelta >= 0
                && count >= 0;
    }

    public long lastOffset() {
        return baseOffset + lastOffsetDelta;
    }

    /** The first offset behind this batch. */
    public long nextOffset() {
        return baseOffset + lastOffsetDelta + 1;
    }

    public boolean hasProducerId() {
        return producerId >= 0;
    }

    /** The sequence number of the last record; sequences wrap from 2^31-1 to 0. */
    public int lastSequence() {
        return ProducerStates.plus(baseSequence, lastOffsetDelta);
    }

    public boolean isTransactional() {
        return (attributes & TRANSACTIONAL) != 0;
    }

    public boolean isControl() {
        return (attributes & CONTROL) != 0;
    }
}
