package io.tidemark.broker.health;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.PartitionState;

/**
 * The figures of one partition at one moment.
 *
 * @param state last metadata applied; null before the first
 * @param failed out of service
 * @param lag of a follower: records its log is short of the leader's mark as last told (R9.11)
 * @param waitingProduces appends that wait to be answered
 * @param why of a leader with records above the mark, or a change pending: what it says of that (B11); else null
 */
record PartitionFigures(
        LogName name,
        PartitionState state,
        boolean leads,
        boolean follows,
        boolean failed,
        long logStart,
        long logEnd,
        long highWatermark,
        long bytes,
        int segments,
        long lag,
        int producers,
        int waitingProduces,
        int waitingDeletions,
        Explanation.Leadership why) {

    /** On the partition's loop; null while its log is being opened, and if it could not be. */
    static PartitionFigures of(PartitionHost host, MonoTime now) {
        if (host.log() == null) {
            return null;
        }
        return new PartitionFigures(
                host.name(),
                host.state(),
                host.replica().leads(),
                host.replica().follows(),
                host.failed(),
                host.replica().logStart(),
                host.replica().logEnd(),
                host.replica().highWatermark(),
                host.log().sizeInBytes(),
                host.log().segmentCount(),
                host.replica().followerLag(),
                host.log().producers().size(),
                host.waitingProduces(),
                host.waitingDeletions(),
                busy(host.replica()) ? host.replica().explain(now).leadership() : null);
    }

    private static boolean busy(Replica replica) {
        return replica.leads() && (replica.highWatermark() < replica.logEnd() || replica.changePending());
    }

    /** R9.2: of those that a reassignment adds, none has to be there yet. */
    boolean underReplicated() {
        return leads
                && state.isr().size() < state.replicas().size() - state.adding().size();
    }

    boolean underMinIsr() {
        return leads && state.underMinIsr();
    }

    boolean atMinIsr() {
        return leads && state.isr().size() == state.minIsr();
    }

    boolean reassigning() {
        return leads && state.reassigning();
    }
}
