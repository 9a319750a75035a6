package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.SeatReport;

/**
 * A log after recovery. {@code highWatermark} is the checkpointed one within the log's bounds (R3.16); {@code cut} says
 * that recovery removed bytes from the end, so that the log may not be called intact (B1).
 */
public record OpenedLog(SegmentLog log, long highWatermark, boolean cut) {

    /** B1, rule 5: what the log holds; to be asked before anything is written to it or taken from it. */
    public SeatReport report(int brokerId, PartitionId id) {
        return new SeatReport(brokerId, id, log.logStartOffset(), log.logEndOffset(), log.epochs());
    }
}
