package io.tidemark.broker.replica;

import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.Map;

/** What can happen to a replica. Times inside events are monotonic milliseconds. */
public sealed interface ReplicaEvent {
    /** The metadata has this state of the partition at {@code index}, and these brokers (those of its replicas). */
    record MetadataChanged(PartitionState state, Map<Integer, BrokerView> brokers, long index)
            implements ReplicaEvent {}

    /** The partition is as before, but a broker among its replicas is not (B14). */
    record EligibilityChanged(Map<Integer, BrokerView> brokers, long index) implements ReplicaEvent {}

    /** This broker's image has reached {@code index}. */
    record FeedReached(long index) implements ReplicaEvent {}

    /**
     * A validated batch set of a client.
     *
     * @param token names the waiting answer
     * @param acks -1, 0 or 1
     * @param offsets how many offsets it takes, at least 1
     * @param verdict of the producer state
     */
    record ProduceRequested(long token, short acks, long deadlineMs, int offsets, ProducerVerdict verdict)
            implements ReplicaEvent {}

    /** The writes staged so far have returned; the log's end is {@code end} (B22). */
    record Written(long end) implements ReplicaEvent {}

    /**
     * A fetch by a follower.
     *
     * @param token names the answer
     * @param leaderEpoch the epoch the follower is in, -1 if it does not say
     * @param lastFetchedEpoch epoch of the record before {@code offset}, -1 if it does not say
     * @param clock of the follower's session, already told of this fetch
     * @param record false for a second look by a parked fetch: the follower's state is not touched (R4.10)
     */
    record FollowerFetch(
            long token,
            int replicaId,
            int leaderEpoch,
            long offset,
            int lastFetchedEpoch,
            long logStart,
            SessionClock clock,
            boolean record)
            implements ReplicaEvent {}

    /**
     * A fetch by a consumer; {@code committed} is read_committed.
     *
     * @param rack where it stands, if it may be sent to a nearer replica (R4.40); else ""
     * @param anyReplica whether it may read from a follower (R4.3)
     */
    record ConsumerFetch(
            long token,
            int leaderEpoch,
            long offset,
            int lastFetchedEpoch,
            boolean committed,
            String rack,
            boolean anyReplica)
            implements ReplicaEvent {
        /** By one that reads from leaders only. */
        public ConsumerFetch(long token, int leaderEpoch, long offset, int lastFetchedEpoch, boolean committed) {
            this(token, leaderEpoch, offset, lastFetchedEpoch, committed, "", false);
        }
    }

    /** Where does the log start or end for that reader (ListOffsets)? */
    record OffsetQuery(long token, int leaderEpoch, Bound bound, boolean fromClient) implements ReplicaEvent {
        /** Which end is asked for; {@link #LOOKUP} asks up to where timestamps may be looked up. */
        public enum Bound {
            EARLIEST,
            LATEST,
            LOOKUP
        }
    }

    /**
     * A client gives up all records below {@code offset} (R3.26).
     *
     * @param token names the waiting answer
     * @param offset -1 stands for the high watermark
     */
    record RecordsGivenUp(long token, long offset, long deadlineMs) implements ReplicaEvent {}

    /** Where does that epoch end (OffsetsForLeaderEpoch, R4.50)? */
    record EpochQuery(long token, int leaderEpoch, int epoch) implements ReplicaEvent {}

    /** The controller answered an AlterPartition; the state is defined only for NONE. */
    record AlterAnswered(
            long proposal, ErrorCode error, long index, int leaderEpoch, int partitionEpoch, List<Integer> isr)
            implements ReplicaEvent {}

    /** An attempt of an AlterPartition ended without an answer. */
    record AlterUnknown(long proposal) implements ReplicaEvent {}

    /**
     * The leader answered a fetch that was asked at (leaderEpoch, offset).
     *
     * @param diverging where the leader's log parts from this one, undefined if it does not
     * @param batches in order, as they lie in the answer; empty on error
     */
    record FetchAnswered(
            int leaderEpoch,
            long offset,
            ReplicaError error,
            EpochAndOffset diverging,
            long highWatermark,
            long logStart,
            List<FetchedBatch> batches)
            implements ReplicaEvent {}

    /** One batch of a fetch answer: offsets, epoch, and its bytes as a range of the answer's records. */
    record FetchedBatch(long baseOffset, long lastOffset, int epoch, int from, int to) {}

    /** The leader's ends, asked after an out-of-range answer (R6.35). */
    record LeaderOffsets(int leaderEpoch, long earliest, long latest) implements ReplicaEvent {}

    /** A fetch, or a question to the leader, failed as a whole. */
    record FetchFailed(int leaderEpoch) implements ReplicaEvent {}

    /** The log was cut and synced, to the batch boundary at or below what was asked. */
    record LogTruncated(long logStart, long end, EpochHistory epochs) implements ReplicaEvent {}

    /** Retention moved the log's start. */
    record LogStartMoved(long logStart) implements ReplicaEvent {}

    /** A reader wants to hear of changes; it is told until it leaves. */
    record Watch(long watcher, boolean follower) implements ReplicaEvent {}

    record Unwatch(long watcher) implements ReplicaEvent {}

    /** The partition is deleted or moved away from this broker, or it has failed: everybody who waits is told. */
    record Removed() implements ReplicaEvent {}

    /** That session does not fetch this partition any more; whoever waits in it is no evidence here (B6, B14). */
    record SessionLeft(SessionClock clock) implements ReplicaEvent {}

    /** The broker's lease has run out: readers that wait may have to be turned away (B6). */
    record LeaseRanOut() implements ReplicaEvent {}

    /** A deadline may have passed. */
    record Tick() implements ReplicaEvent {}
}
