package io.tidemark.broker.net;

import java.nio.channels.FileChannel;

/** A region of an open file that stays readable until it is released, once. */
public interface RegionSource {
    /** Where the bytes are; it is neither moved nor closed by the sender. */
    FileChannel channel();

    /** Offset of the first byte in the file, 0 or more. */
    long position();

    /** Bytes, more than 0. */
    int length();

    /** Called exactly once by whoever owns the region: when it was sent, or when it will not be sent. Any thread. */
    void release();
}
