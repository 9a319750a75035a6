package io.tidemark.broker.api;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.net.RegionRecords;
import io.tidemark.broker.replica.FetchSession;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * The answer to one fetch while it grows: what was refused at once, and a row for each partition that was looked at. It
 * owns the records in its rows until it is sent or given up. Lives on the connection's loop.
 */
final class FetchAnswer {
    /** A request that names all its partitions gets a row for each of them (R4.31 is for incremental ones). */
    private final boolean full;

    private final Map<FetchSession.Partition, FetchResponseData.PartitionData> rows = new LinkedHashMap<>();
    /** Null if nothing was. */
    private LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> refused;

    private int bytes;
    /** Rows for a replica that a reassignment adds; none but then. */
    private Set<FetchSession.Partition> forAdded = Set.of();

    FetchAnswer(boolean full) {
        this.full = full;
    }

    /** A partition that no session can have. */
    void refuse(TopicIdPartition partition, FetchResponseData.PartitionData row) {
        refused = taken();
        refused.put(partition, row);
    }

    boolean refusesAny() {
        return refused != null;
    }

    private LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> taken() {
        return refused == null ? new LinkedHashMap<>() : refused;
    }

    /** Bytes of records in all rows. */
    int bytes() {
        return bytes;
    }

    /** Of these, bytes for a replica that a reassignment adds. */
    int bytesForAdded() {
        int sum = 0;
        for (FetchSession.Partition partition : forAdded) {
            FetchResponseData.PartitionData row = rows.get(partition);
            sum += row == null ? 0 : row.records().sizeInBytes();
        }
        return sum;
    }

    /** A row without records. */
    void put(FetchSession.Partition partition, FetchResponseData.PartitionData row) {
        rows.put(partition, row.setRecords(MemoryRecords.EMPTY));
    }

    void put(FetchSession.Partition partition, FetchResponseData.PartitionData row, FileSlice slice, boolean added) {
        RegionRecords records = RegionRecords.of(new SegmentRegion(slice));
        bytes += records.sizeInBytes();
        rows.put(partition, row.setRecords(records));
        if (added) {
            forAdded = forAdded.isEmpty() ? new HashSet<>() : forAdded;
            forAdded.add(partition);
        }
    }

    /** A row found by an earlier look is replaced by what the next one finds. */
    void forget(FetchSession.Partition partition) {
        FetchResponseData.PartitionData row = rows.remove(partition);
        if (row != null && row.records() instanceof RegionRecords records) {
            bytes -= records.sizeInBytes();
            records.release();
        }
    }

    /** To be sent, once; the session is told what its reader learns by it. */
    FetchResponse take(FetchSession session) {
        LinkedHashMap<TopicIdPartition, FetchResponseData.PartitionData> response = taken();
        for (Map.Entry<FetchSession.Partition, FetchResponseData.PartitionData> entry : rows.entrySet()) {
            FetchSession.Partition partition = entry.getKey();
            FetchResponseData.PartitionData row = entry.getValue();
            boolean error = row.errorCode() != Errors.NONE.code();
            boolean content = error
                    || row.divergingEpoch().epoch() >= 0
                    || row.preferredReadReplica() >= 0
                    || row.records().sizeInBytes() > 0;
            if (!full && !content && !partition.news(row.highWatermark(), row.logStartOffset())) {
                continue;
            }
            if (error) {
                partition.sentError();
            } else {
                partition.sent(row.highWatermark(), row.logStartOffset());
            }
            response.put(
                    new TopicIdPartition(
                            ClusterView.uuid(partition.id.topicId()),
                            new TopicPartition(partition.topic, partition.id.partition())),
                    row);
        }
        rows.clear();
        return FetchResponse.of(Errors.NONE, 0, session.id(), response, List.of());
    }

    /** As {@link #take} when nobody waits for the rows any more: the session's next fetch has to find them again. */
    FetchResponse giveUp(FetchSession session) {
        rows.keySet().forEach(session::keepDirty);
        rows.values().forEach(row -> {
            if (row.records() instanceof RegionRecords records) {
                records.release();
            }
        });
        rows.clear();
        // What was refused is not in the session: nobody else will tell the reader.
        return FetchResponse.of(Errors.NONE, 0, session.id(), taken(), List.of());
    }
}
