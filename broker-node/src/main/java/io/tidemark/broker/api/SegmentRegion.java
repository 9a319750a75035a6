package io.tidemark.broker.api;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.net.RegionSource;
import java.nio.channels.FileChannel;

/** A slice of a segment as the network sends it. */
record SegmentRegion(FileSlice slice) implements RegionSource {
    @Override
    public FileChannel channel() {
        return slice.channel().orElseThrow(() -> new IllegalStateException("only real files are sent"));
    }

    @Override
    public long position() {
        return slice.position();
    }

    @Override
    public int length() {
        return slice.length();
    }

    @Override
    public void release() {
        slice.release();
    }
}
