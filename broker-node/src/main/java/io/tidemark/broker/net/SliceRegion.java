package io.tidemark.broker.net;

import io.netty.channel.DefaultFileRegion;

/** A file region whose end of life releases its source and leaves the file open, which others read too. */
final class SliceRegion extends DefaultFileRegion {
    private final RegionSource source;

    SliceRegion(RegionSource source) {
        super(source.channel(), source.position(), source.length());
        this.source = source;
    }

    @Override
    protected void deallocate() {
        source.release();
    }
}
