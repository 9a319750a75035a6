package io.tidemark.broker.net;

import java.util.List;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Records of a Fetch response that stay in their files until the socket takes them. Who gives a response with such
 * records to {@link Call#respond} gives the regions away with it: they are released whatever becomes of the response.
 */
public final class RegionRecords implements BaseRecords {
    private final List<RegionSource> regions;
    private final int bytes;

    /** The regions in order; together less than 2 GiB. */
    public RegionRecords(List<? extends RegionSource> regions) {
        this.regions = List.copyOf(regions);
        int sum = 0;
        for (RegionSource region : regions) {
            sum = Math.addExact(sum, region.length());
        }
        this.bytes = sum;
    }

    public static RegionRecords of(RegionSource region) {
        return new RegionRecords(List.of(region));
    }

    List<RegionSource> regions() {
        return regions;
    }

    /** Gives the regions up unsent. */
    public void release() {
        regions.forEach(RegionSource::release);
    }

    @Override
    public int sizeInBytes() {
        return bytes;
    }

    /** Not how these records are sent; the response encoder takes the regions themselves. */
    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("file regions are sent by the connection");
    }
}
