package io.tidemark.model;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Identity of one incarnation of a topic: 128 bits, written as unpadded URL-safe base64 of 22 characters (as Kafka
 * writes its topic ids).
 */
public record TopicId(long high, long low) implements Comparable<TopicId> {
    public static final TopicId ZERO = new TopicId(0, 0);

    public boolean isZero() {
        return high == 0 && low == 0;
    }

    /** Reads the form of {@link #toString}; throws IllegalArgumentException on anything else. */
    public static TopicId parse(String text) {
        byte[] bytes = Base64.getUrlDecoder().decode(text);
        if (bytes.length != 16) {
            throw new IllegalArgumentException("a topic id has 16 bytes, this has " + bytes.length + ": " + text);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TopicId(buffer.getLong(), buffer.getLong());
    }

    /** Written out: what a record does by itself goes through method handles, dear for the key of every look-up. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TopicId topic && high == topic.high && low == topic.low;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(high) + Long.hashCode(low);
    }

    @Override
    public int compareTo(TopicId other) {
        int byHigh = Long.compare(high, other.high);
        return byHigh != 0 ? byHigh : Long.compare(low, other.low);
    }

    @Override
    public String toString() {
        byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
