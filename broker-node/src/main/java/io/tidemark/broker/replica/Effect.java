package io.tidemark.broker.replica;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.metadata.QuorumCommand;

/**
 * What a replica wants done, in order. After an effect that {@link #waits} the partition does nothing, and its further
 * effects and events wait, until it is done and synced.
 */
public sealed interface Effect {
    /** Whether it ends in a sync that everything after it waits for (R2.41, R5.24, R6.21, B22). */
    default boolean waits() {
        return false;
    }

    /** Write this history to the checkpoint. */
    record PersistEpochs(EpochHistory epochs) implements Effect {
        @Override
        public boolean waits() {
            return true;
        }
    }

    /** Stamp the batch set of that request with offset and epoch and stage it. */
    record Stage(long token, long baseOffset, int epoch) implements Effect {}

    /** Stage that range of the fetch answer at hand. */
    record StageFetched(int from, int to, int epoch) implements Effect {}

    /** Cut the log at {@code offset}, sync, and report {@link ReplicaEvent.LogTruncated}. */
    record Truncate(long offset, String reason) implements Effect {
        @Override
        public boolean waits() {
            return true;
        }
    }

    /** Empty the log and let it start at {@code offset}, sync, and report {@link ReplicaEvent.LogTruncated}. */
    record TruncateFully(long offset, String reason) implements Effect {
        @Override
        public boolean waits() {
            return true;
        }
    }

    /** The high watermark moved (R3.11). */
    record HighWatermarkMoved(long highWatermark) implements Effect {}

    /** Raise the log's start (R3.25). */
    record RaiseLogStart(long logStart) implements Effect {}

    /** Answer a produce; offsets are -1 on error. */
    record ProduceAnswered(long token, ReplicaError error, long baseOffset, long logStart, String message)
            implements Effect {}

    /**
     * A reader may read from its offset up to {@code limit}, exclusive.
     *
     * @param mayWait a follower outside the ISR, which may be held to a rate (R4.23)
     */
    record ReadAllowed(long token, long limit, long highWatermark, long stableOffset, long logStart, boolean mayWait)
            implements Effect {}

    /** The reader's log parts from this one (R4.5). */
    record ReadDiverges(long token, int epoch, long endOffset, long highWatermark, long logStart) implements Effect {}

    /** The reader is to ask that replica, which is nearer to it (R4.40). */
    record ReadElsewhere(long token, int replica, long highWatermark, long logStart) implements Effect {}

    record ReadRefused(long token, ReplicaError error, long highWatermark, long logStart) implements Effect {}

    /** Answers an {@link ReplicaEvent.OffsetQuery}: the offset with the leader epoch. */
    record OffsetFound(long token, ReplicaError error, long offset, int leaderEpoch) implements Effect {}

    /** Answers a {@link ReplicaEvent.RecordsGivenUp}: where the log starts on every replica that is there; -1 on error. */
    record RecordsDeleted(long token, ReplicaError error, long lowWatermark) implements Effect {}

    /** Answers an {@link ReplicaEvent.EpochQuery}; -1, -1 if undefined. */
    record EpochFound(long token, ReplicaError error, int epoch, long endOffset) implements Effect {}

    /** Readers to be told that there may be something new; {@code followers} only hear of a moved mark a little later. */
    record Notify(long[] watchers, boolean data) implements Effect {}

    record SendAlter(long proposal, QuorumCommand.IsrProposal request) implements Effect {}

    /** Follow that leader from now on; the position is asked of the replica before each fetch. */
    record StartFetching(int leader, int leaderEpoch) implements Effect {}

    record StopFetching() implements Effect {}

    /** Ask the leader where its log starts and ends (R6.35). */
    record AskLeaderOffsets(int leaderEpoch) implements Effect {}

    /** What is counted over all partitions of a broker (R9.10). */
    enum Happening {
        /** A member left the ISR, whoever asked for it. */
        ISR_SHRANK,
        /** A replica joined the ISR. */
        ISR_EXPANDED,
        /** The controllers refused what the leader asked for. */
        ISR_UPDATE_REFUSED
    }

    /** To be counted. */
    record Happened(Happening what) implements Effect {}

    /** For the log, in words (R9.16). */
    record Say(String text) implements Effect {}
}
