package io.tidemark.broker.api;

import static io.tidemark.broker.runtime.Counted.CONSUMER_FETCHES_EXPIRED;
import static io.tidemark.broker.runtime.Counted.FOLLOWER_FETCHES_EXPIRED;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.FetchSession;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.ReadSink;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * One fetch until it is answered: looks at the partitions of its session that changed, one after the other, and waits for
 * more until there is enough, or an error, or its time is up (R4.20, R4.21, R4.24). Lives on the connection's loop.
 */
final class FetchCall {
    /** A moved high watermark alone reaches an idle follower within this time, gathered over its partitions (B8). */
    private static final long MARK_LINGER_MS = 20;

    /** From this version on a consumer says where it stands, and may read from followers (R4.3). */
    private static final short FROM_FOLLOWERS_VERSION = 11;

    private final Call call;
    private final FetchRequest request;
    /** Where the consumer stands, if it is to be sent to a nearer replica; else "". */
    private final String rack;

    private final SessionReader reader;
    private final FetchSession session;
    private final PartitionLoop home;
    private final Partitions partitions;
    private final FetchAnswer answer;
    private final Runnable whenDone;

    private List<FetchSession.Partition> looking = List.of();
    private int next;
    /** Only the look at arrival tells the leader where the follower is (R4.10). */
    private boolean firstLook = true;

    private boolean stepping;
    private boolean resultPending;
    private boolean lookScheduled;
    /** Something changed while a look was under way, perhaps in a partition that it had passed already. */
    private boolean lookAgain;

    private boolean done;
    private boolean answerNow;
    private PartitionLoop.Timer timer;
    private long deadlineMs;
    /** The deadline is that for telling of a moved mark, and not the reader's. */
    private boolean markMoved;

    FetchCall(
            Call call,
            FetchRequest request,
            SessionReader reader,
            Partitions partitions,
            FetchAnswer answer,
            boolean rackAware,
            Runnable whenDone) {
        this.call = call;
        this.request = request;
        this.rack = rackAware && !request.isFromFollower() && request.version() >= FROM_FOLLOWERS_VERSION
                ? request.rackId()
                : "";
        this.reader = reader;
        this.session = reader.session();
        this.home = reader.home();
        this.partitions = partitions;
        this.answer = answer;
        this.whenDone = whenDone;
        this.answerNow = answer.refusesAny() || request.maxWait() <= 0;
    }

    void start(long nowMs) {
        deadlineMs = nowMs + Math.max(0, request.maxWait());
        answerNow |= session.size() == 0;
        look();
    }

    /** There is something to look at again. */
    void changed(boolean data) {
        if (done) {
            return;
        }
        if (data) {
            scheduleLook();
        } else if (home.now().ms() + MARK_LINGER_MS < deadlineMs) {
            deadlineMs = home.now().ms() + MARK_LINGER_MS;
            markMoved = true;
            arm();
        }
    }

    private void scheduleLook() {
        if (!lookScheduled) {
            lookScheduled = true;
            home.atTurnEnd(new Runnable() {
                @Override
                public void run() {
                    lookScheduled = false;
                    look();
                }
            });
        }
    }

    private void look() {
        if (done) {
            return;
        }
        if (resultPending || stepping) {
            lookAgain = true;
            return;
        }
        lookAgain = false;
        looking = session.takeDirty();
        next = 0;
        advance();
    }

    /** Looks at one partition after the other, without recursion while their answers come at once. */
    private void advance() {
        stepping = true;
        while (!done && next < looking.size()) {
            resultPending = true;
            look(looking.get(next++));
            if (resultPending) {
                stepping = false;
                return;
            }
        }
        stepping = false;
        if (!done) {
            looked();
        }
    }

    private void result() {
        resultPending = false;
        if (!stepping && !done) {
            advance();
        } else if (!stepping) {
            looking.subList(Math.min(next, looking.size()), looking.size()).forEach(session::keepDirty);
        }
    }

    private void looked() {
        firstLook = false;
        if (answerNow || answer.bytes() >= request.minBytes() || home.now().ms() >= deadlineMs) {
            answer();
        } else if (lookAgain) {
            look();
        } else {
            arm();
        }
    }

    private void arm() {
        if (timer != null) {
            timer.cancel();
        }
        timer = home.at(deadlineMs, new Runnable() {
            @Override
            public void run() {
                answerNow = true;
                if (!markMoved) {
                    home.tally().add(session.isFollower() ? FOLLOWER_FETCHES_EXPIRED : CONSUMER_FETCHES_EXPIRED, 1);
                }
                if (!resultPending && !stepping) {
                    // Once more over what only the high watermark has moved in.
                    look();
                }
            }
        });
    }

    private void look(FetchSession.Partition partition) {
        answer.forget(partition);
        PartitionLoop loop = partitions.loopOf(partition.id);
        FetchSession.Want want = partition.want();
        int left = Math.max(0, request.maxBytes() - answer.bytes());
        boolean first = answer.bytes() == 0;
        boolean record = partition.takeTold() || firstLook;
        boolean watch = partition.takeWatch();
        loop.execute(new Runnable() {
            @Override
            public void run() {
                PartitionHost host = loop.host(partition.id);
                ReadSink sink = new Sink(partition, host != null && adds(host));
                if (host == null) {
                    sink.refused(ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1);
                    return;
                }
                if (watch) {
                    // Before the look, so that what comes after it is told.
                    host.watch(reader.token(), session.isFollower());
                }
                ReplicaEvent fetch = event(loop.nextToken(), want, record);
                host.read(fetch, want.offset(), Math.min(left, want.maxBytes()), first, sink);
            }
        });
    }

    /** On the partition's loop. */
    private boolean adds(PartitionHost host) {
        PartitionState state = session.isFollower() ? host.state() : null;
        return state != null && state.adding().contains(request.replicaId());
    }

    private ReplicaEvent event(long token, FetchSession.Want want, boolean record) {
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
                rack,
                request.version() >= FROM_FOLLOWERS_VERSION);
    }

    /** Receives one partition's outcome on the partition's loop and takes it to the connection's. */
    private final class Sink implements ReadSink {
        private final FetchSession.Partition partition;
        private final boolean added;

        private Sink(FetchSession.Partition partition, boolean added) {
            this.partition = partition;
            this.added = added;
        }

        @Override
        public void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
            home.execute(new Runnable() {
                @Override
                public void run() {
                    take(slice, more, highWatermark, stableOffset, logStart);
                }
            });
        }

        private void take(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
            FetchResponseData.PartitionData row = row(Errors.NONE, highWatermark, logStart)
                    .setLastStableOffset(stableOffset);
            if (done) {
                if (slice != null) {
                    slice.release();
                }
                session.keepDirty(partition);
                result();
                return;
            }
            if (slice == null) {
                answer.put(partition, row);
            } else {
                answer.put(partition, row, slice, added);
            }
            if (more) {
                session.keepDirty(partition);
            }
            result();
        }

        @Override
        public void diverges(int epoch, long endOffset, long highWatermark, long logStart) {
            home.execute(() -> answerNow(row(Errors.NONE, highWatermark, logStart)
                    .setDivergingEpoch(new FetchResponseData.EpochEndOffset()
                            .setEpoch(epoch)
                            .setEndOffset(endOffset))));
        }

        @Override
        public void elsewhere(int replica, long highWatermark, long logStart) {
            home.execute(() -> {
                answerNow = true;
                // If the reader asks here again it is told again.
                session.keepDirty(partition);
                answer.put(partition, row(Errors.NONE, highWatermark, logStart).setPreferredReadReplica(replica));
                result();
            });
        }

        @Override
        public void refused(ReplicaError error, long highWatermark, long logStart) {
            home.execute(() -> {
                home.tally().add(Counted.FAILED_FETCHES, 1);
                // It may not be here yet, and then it is not watched: the next look asks again.
                partition.notWatched();
                session.keepDirty(partition);
                answerNow(row(ReplicaErrors.onWire(error), highWatermark, logStart));
            });
        }

        private void answerNow(FetchResponseData.PartitionData row) {
            if (done) {
                // This fetch was given up meanwhile: the next one has to find it again.
                session.keepDirty(partition);
            } else {
                answerNow = true;
                answer.put(partition, row);
            }
            result();
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

    private void answer() {
        home.tally().add(Counted.REASSIGNMENT_BYTES_OUT, answer.bytesForAdded());
        home.tally().add(session.isFollower() ? Counted.REPLICATION_BYTES_OUT : Counted.BYTES_OUT, answer.bytes());
        FetchResponse response = answer.take(session);
        finish();
        call.respond(response);
    }

    /** Whether there is still a connection to answer on. */
    boolean wanted() {
        return call.connectionOpen();
    }

    /** The client has sent another fetch, or its session is gone: whatever it waits for, it is not this. */
    void giveUp() {
        if (done) {
            return;
        }
        FetchResponse response = answer.giveUp(session);
        finish();
        call.respond(response);
    }

    private void finish() {
        done = true;
        if (timer != null) {
            timer.cancel();
        }
        reader.finished(this);
        whenDone.run();
    }
}
