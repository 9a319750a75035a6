package io.tidemark.broker.explore;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.SeatReport;
import java.util.List;

/**
 * A broker that does not run, and what it will find when it starts.
 *
 * @param epoch of the incarnation that ended
 */
record Down(int id, long epoch, RecordLog log, long mark, Evidence evidence) {
    /** What speaks for the log being as it was left (B1). */
    enum Evidence {
        /** The marker of an orderly stop. */
        STOPPED,
        /** The kernel's boot is the same, and recovery cut nothing. */
        SAME_BOOT,
        NONE
    }

    RegisterBroker registration(BrokerState registered, PartitionId partition) {
        return Images.registration(
                id,
                "after-" + epoch,
                evidence == Evidence.STOPPED ? epoch : -1,
                evidence == Evidence.SAME_BOOT ? registered.bootEvidence() : "boot-after-" + epoch,
                List.of(new SeatReport(id, partition, 0, log.end(), log.epochs())));
    }
}
