package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Writable;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Turns a header and a message into what a channel writes: one buffer with the length and all fields, interrupted by the
 * records, which are not copied.
 */
public final class MessageEncoder {
    private MessageEncoder() {}

    /**
     * The parts in order, {@link ByteBuf}s and file regions, owned by the caller; on an exception the records still
     * belong to the message (see {@link #releaseRegions}). Throws UnsupportedVersionException if the message has a value
     * that the version cannot carry.
     */
    public static List<Object> encode(
            ByteBufAllocator allocator, Message header, short headerVersion, Message body, short bodyVersion) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        MessageSizeAccumulator size = new MessageSizeAccumulator();
        header.addSize(size, cache, headerVersion);
        body.addSize(size, cache, bodyVersion);
        Output output = new Output(allocator.directBuffer(4 + size.sizeExcludingZeroCopy()));
        try {
            output.writeInt(size.totalSize());
            header.write(output, cache, headerVersion);
            body.write(output, cache, bodyVersion);
            return output.parts();
        } finally {
            output.fields.release();
        }
    }

    /** Releases the file regions of a response that will not be sent. */
    static void releaseRegions(AbstractResponse response) {
        if (response instanceof FetchResponse fetch) {
            for (FetchResponseData.FetchableTopicResponse topic : fetch.data().responses()) {
                for (FetchResponseData.PartitionData partition : topic.partitions()) {
                    if (partition.records() instanceof RegionRecords records) {
                        records.release();
                    }
                }
            }
        }
    }

    private static final class Output implements Writable {
        private final ByteBuf fields;
        private final List<BaseRecords> records = new ArrayList<>();
        /** For each of {@link #records} the number of field bytes before it. */
        private final List<Integer> positions = new ArrayList<>();

        Output(ByteBuf fields) {
            this.fields = fields;
        }

        List<Object> parts() {
            List<Object> parts = new ArrayList<>(2 * records.size() + 1);
            int from = 0;
            for (int i = 0; i < records.size(); i++) {
                from = addFields(parts, from, positions.get(i));
                if (records.get(i) instanceof RegionRecords regions) {
                    for (RegionSource region : regions.regions()) {
                        parts.add(new SliceRegion(region));
                    }
                } else {
                    parts.add(Unpooled.wrappedBuffer(((MemoryRecords) records.get(i)).buffer()));
                }
            }
            addFields(parts, from, fields.writerIndex());
            return parts;
        }

        private int addFields(List<Object> parts, int from, int to) {
            if (to > from) {
                parts.add(fields.retainedSlice(from, to - from));
            }
            return to;
        }

        @Override
        public void writeRecords(BaseRecords value) {
            if (!(value instanceof RegionRecords) && !(value instanceof MemoryRecords)) {
                throw new IllegalArgumentException("records of this kind cannot be sent: " + value.getClass());
            }
            if (value.sizeInBytes() > 0) {
                records.add(value);
                positions.add(fields.writerIndex());
            }
        }

        @Override
        public void writeByte(byte value) {
            fields.writeByte(value);
        }

        @Override
        public void writeShort(short value) {
            fields.writeShort(value);
        }

        @Override
        public void writeInt(int value) {
            fields.writeInt(value);
        }

        @Override
        public void writeLong(long value) {
            fields.writeLong(value);
        }

        @Override
        public void writeDouble(double value) {
            fields.writeDouble(value);
        }

        @Override
        public void writeByteArray(byte[] value) {
            fields.writeBytes(value);
        }

        @Override
        public void writeByteBuffer(ByteBuffer value) {
            fields.writeBytes(value.duplicate());
        }

        @Override
        public void writeUnsignedVarint(int value) {
            int rest = value;
            while ((rest & ~0x7f) != 0) {
                fields.writeByte((rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            fields.writeByte(rest);
        }

        @Override
        public void writeVarint(int value) {
            writeUnsignedVarint((value << 1) ^ (value >> 31));
        }

        @Override
        public void writeVarlong(long value) {
            ByteBuffer bytes = ByteBuffer.allocate(10);
            ByteUtils.writeVarlong(value, bytes);
            fields.writeBytes(bytes.flip());
        }
    }
}
