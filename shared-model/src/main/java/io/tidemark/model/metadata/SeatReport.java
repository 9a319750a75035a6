package io.tidemark.model.metadata;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;

/**
 * What a returning broker's log holds, read after recovery and before any append, truncation or fetch (B1, rule 5).
 *
 * @param epochs at least the newest of the log's; a record before the first of these is one that the log is not known to hold
 */
public record SeatReport(int brokerId, PartitionId partition, long logStart, long logEnd, EpochHistory epochs) {

    /** That the broker has no log of the partition. */
    public static SeatReport nothing(int brokerId, PartitionId partition) {
        return new SeatReport(brokerId, partition, 0, 0, EpochHistory.EMPTY);
    }

    /**
     * Whether the log has everything below that floor. An end that is high enough does not say so, and neither does an
     * epoch that is: a truncation that was undone leaves other records there (trap C6). The record before the floor has to
     * be the one that the reporter had, which by log matching decides on all below it (I9). What lies below a log's start
     * was given up by a leader.
     */
    public boolean holds(Floor floor) {
        if (floor.kind() != Floor.Kind.KNOWN) {
            return false;
        }
        long before = floor.offset() - 1;
        return before < 0
                || logStart > before
                || (logEnd > before && floor.epoch() >= 0 && epochs.epochAt(before) == floor.epoch());
    }

    /** Epoch of the last record, or of the last leader known to the log if it has none; -1 if it knows none. */
    public int lastEpoch() {
        return logEnd > logStart ? epochs.epochAt(logEnd - 1) : epochs.latestEpoch();
    }
}
