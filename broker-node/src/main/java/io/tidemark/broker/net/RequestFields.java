package io.tidemark.broker.net;

import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Readable;

/**
 * Reads the fields of one request and stops at a number of them. Two bytes on the wire become an object of fifty, so the
 * size of a frame does not bound what its request takes in memory; the number of fields read does.
 */
final class RequestFields extends ByteBufferAccessor {
    /** Far above a request for 100,000 partitions, and some 100 MB of objects at worst. */
    static final int MAX_FIELDS = 2_000_000;

    private int left;

    RequestFields(ByteBuffer buffer, int maxFields) {
        super(buffer);
        left = maxFields;
    }

    /** Also the bound of the length an array may announce: each of its elements has at least one field. */
    @Override
    public int remaining() {
        return Math.min(super.remaining(), left);
    }

    @Override
    public byte readByte() {
        count();
        return super.readByte();
    }

    @Override
    public short readShort() {
        count();
        return super.readShort();
    }

    @Override
    public int readInt() {
        count();
        return super.readInt();
    }

    @Override
    public long readLong() {
        count();
        return super.readLong();
    }

    @Override
    public double readDouble() {
        count();
        return super.readDouble();
    }

    @Override
    public int readUnsignedVarint() {
        count();
        return super.readUnsignedVarint();
    }

    @Override
    public int readVarint() {
        count();
        return super.readVarint();
    }

    @Override
    public long readVarlong() {
        count();
        return super.readVarlong();
    }

    @Override
    public Readable slice() {
        return new RequestFields(buffer().slice(), left);
    }

    private void count() {
        if (--left < 0) {
            throw new IllegalArgumentException("the request has too many fields");
        }
    }
}
