package io.tidemark.broker.api;

import io.tidemark.broker.net.RegionRecords;
import io.tidemark.broker.net.RegionSource;
import io.tidemark.broker.net.RegionsOf;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Reads the records of a Fetch answer as the network would send them, without a socket. */
public final class RecordBytes {
    private RecordBytes() {}

    /** The records in memory; their regions are released, whatever happens. */
    public static MemoryRecords take(RegionRecords records) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(records.sizeInBytes());
        try {
            for (RegionSource region : RegionsOf.records(records)) {
                ((SegmentRegion) region).slice().copyTo(bytes);
            }
        } finally {
            records.release();
        }
        return MemoryRecords.readableRecords(bytes.flip());
    }
}
