package io.tidemark.broker.api;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.replica.FetchSession;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.ReadSink;
import io.tidemark.model.metadata.PartitionState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;

/**
 * One look of a fetch at one partition: asks the replica on the partition's loop, and takes the outcome back to the fetch
 * on the connection's.
 */
final class PartitionLook implements Runnable, ReadSink {
    private final FetchCall fetch;
    private final FetchSession.Partition partition;
    private final FetchSession.Want want;
    private final PartitionLoop loop;
    private final int left;
    private final boolean first;
    private final boolean record;
    private final boolean watch;
    /** The reader is a replica that a reassignment adds. Set before there is an outcome. */
    private boolean added;

    /**
     * @param loop the partition's
     * @param left bytes that the answer has room for
     * @param first whether the answer has no records yet, so that one batch is let in whatever its size
     * @param record whether the leader is to learn where the follower is (R4.10)
     * @param watch whether the reader is to be told of changes from now on
     */
    PartitionLook(
            FetchCall fetch,
            FetchSession.Partition partition,
            PartitionLoop loop,
            int left,
            boolean first,
            boolean record,
            boolean watch) {
        this.fetch = fetch;
        this.partition = partition;
        this.want = partition.want();
        this.loop = loop;
        this.left = left;
        this.first = first;
        this.record = record;
        this.watch = watch;
    }

    @Override
    public void run() {
        PartitionHost host = loop.host(partition.id);
        if (host == null) {
            refused(ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1);
            return;
        }
        added = adds(host);
        if (watch) {
            // Before the look, so that what comes after it is told.
            host.watch(fetch.reader().token(), fetch.session().isFollower());
        }
        host.read(event(loop.nextToken()), want.offset(), Math.min(left, want.maxBytes()), first, this);
    }

    private boolean adds(PartitionHost host) {
        PartitionState state = fetch.session().isFollower() ? host.state() : null;
        return state != null && state.adding().contains(fetch.request().replicaId());
    }

    private ReplicaEvent event(long token) {
        FetchSession session = fetch.session();
        FetchRequest request = fetch.request();
        if (session.isFollower()) {
            return new ReplicaEvent.FollowerFetch(
                    token,
                    request.replicaId(),
                    want.leaderEpoch(),
                    want.offset(),
                    want.lastFetchedEpoch(),
                    want.logStart(),
                    session.clock(),
                    record);
        }
        return new ReplicaEvent.ConsumerFetch(
                token,
                want.leaderEpoch(),
                want.offset(),
                want.lastFetchedEpoch(),
                request.isolationLevel() == IsolationLevel.READ_COMMITTED,
                fetch.rack(),
                request.version() >= FetchCall.FROM_FOLLOWERS_VERSION);
    }

    @Override
    public void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
        fetch.home().execute(new Runnable() {
            @Override
            public void run() {
                FetchResponseData.PartitionData row =
                        row(Errors.NONE, highWatermark, logStart).setLastStableOffset(stableOffset);
                fetch.found(partition, row, slice, more, added);
            }
        });
    }

    @Override
    public void diverges(int epoch, long endOffset, long highWatermark, long logStart) {
        fetch.home()
                .execute(() -> fetch.answerNow(
                        partition,
                        row(Errors.NONE, highWatermark, logStart)
                                .setDivergingEpoch(new FetchResponseData.EpochEndOffset()
                                        .setEpoch(epoch)
                                        .setEndOffset(endOffset))));
    }

    @Override
    public void elsewhere(int replica, long highWatermark, long logStart) {
        fetch.home().execute(() -> {
            // If the reader asks here again it is told again.
            fetch.session().keepDirty(partition);
            fetch.answerNow(partition, row(Errors.NONE, highWatermark, logStart).setPreferredReadReplica(replica));
        });
    }

    @Override
    public void refused(ReplicaError error, long highWatermark, long logStart) {
        fetch.home().execute(() -> {
            fetch.home().tally().add(Counted.FAILED_FETCHES, 1);
            // It may not be here yet, and then it is not watched: the next look asks again.
            partition.notWatched();
            fetch.session().keepDirty(partition);
            fetch.answerNow(partition, row(ReplicaErrors.onWire(error), highWatermark, logStart));
        });
    }

    private FetchResponseData.PartitionData row(Errors error, long highWatermark, long logStart) {
        return new FetchResponseData.PartitionData()
                .setPartitionIndex(partition.id.partition())
                .setErrorCode(error.code())
                .setHighWatermark(highWatermark)
                .setLastStableOffset(highWatermark)
                .setLogStartOffset(logStart);
    }
}
