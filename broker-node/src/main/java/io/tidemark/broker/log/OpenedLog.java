package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.SeatReport;

/**
 * A log after recovery, in which {@code highWatermark} is the checkpointed one within the log's bounds (R3.16).
 *
 * @param cut recovery removed bytes from the end, so that what was written may be missing (B1)
 * @param syncedLost the log ends below what is known to have been synced
 */
public record OpenedLog(SegmentLog log, long highWatermark, boolean cut, boolean syncedLost) {

    /**
     * Epochs of a report: a floor lies near the end of the logs that it is about, while the history of an old log may be
     * long, and the reports of all logs of a broker travel in one message.
     */
    private static final int REPORTED_EPOCHS = 100;

    /** B1, rule 5: what the log holds; to be asked before anything is written to it or taken from it. */
    public SeatReport report(int brokerId, PartitionId id) {
        return new SeatReport(
                brokerId,
                id,
                log.logStartOffset(),
                log.logEndOffset(),
                log.epochs().newest(REPORTED_EPOCHS));
    }
}
