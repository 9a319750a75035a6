package io.tidemark.broker.net;

import java.util.List;

/** Lets tests of other packages see the regions of records that no socket takes. */
public final class RegionsOf {
    private RegionsOf() {}

    public static List<RegionSource> records(RegionRecords records) {
        return records.regions();
    }
}
