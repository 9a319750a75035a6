package io.tidemark.broker.disk;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.nio.ByteBuffer;

/**
 * The keys of the stored index, all big-endian so that byte order is offset order: topic id (16), partition (4), kind
 * (1), then one or two offsets (8 each).
 */
final class IndexKeys {
    /** segment base, batch base offset. */
    static final byte ENTRY = 'e';
    /** offset of the log end it was taken at. */
    static final byte SNAPSHOT = 'p';
    /** segment base. */
    static final byte SUMMARY = 's';

    private static final int PREFIX = 16 + 4 + 1;

    private IndexKeys() {}

    static byte[] of(PartitionId log, byte kind, long offset) {
        return start(log, kind, 8).putLong(offset).array();
    }

    static byte[] of(PartitionId log, byte kind, long segmentBase, long offset) {
        return start(log, kind, 16).putLong(segmentBase).putLong(offset).array();
    }

    /** Smaller than every key of this kind and larger than those of smaller kinds. */
    static byte[] first(PartitionId log, byte kind) {
        return start(log, kind, 0).array();
    }

    /** Larger than every key of this kind and smaller than those of larger kinds. */
    static byte[] behind(PartitionId log, byte kind) {
        return start(log, (byte) (kind + 1), 0).array();
    }

    /** The log that a key belongs to. */
    static PartitionId log(byte[] key) {
        ByteBuffer in = ByteBuffer.wrap(key);
        return new PartitionId(new TopicId(in.getLong(), in.getLong()), in.getInt());
    }

    /** The last offset in a key. */
    static long lastOffset(byte[] key) {
        return ByteBuffer.wrap(key).getLong(key.length - 8);
    }

    private static ByteBuffer start(PartitionId log, byte kind, int more) {
        return ByteBuffer.allocate(PREFIX + more)
                .putLong(log.topicId().high())
                .putLong(log.topicId().low())
                .putInt(log.partition())
                .put(kind);
    }
}
