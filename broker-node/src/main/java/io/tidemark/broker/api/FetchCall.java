package io.tidemark.broker.api;

import static io.tidemark.broker.runtime.Counted.CONSUMER_FETCHES_EXPIRED;
import static io.tidemark.broker.runtime.Counted.FOLLOWER_FETCHES_EXPIRED;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.FetchSession;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
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
    static final short FROM_FOLLOWERS_VERSION = 11;

    private final Call call;
    private final FetchRequest request;
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

    FetchRequest request() {
        return request;
    }

    SessionReader reader() {
        return reader;
    }

    FetchSession session() {
        return session;
    }

    /** The loop of the connection. */
    PartitionLoop home() {
        return home;
    }

    /** Where the consumer stands, if it is to be sent to a nearer replica; else "". */
    String rack() {
        return rack;
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
        int left = Math.max(0, request.maxBytes() - answer.bytes());
        boolean first = answer.bytes() == 0;
        boolean record = partition.takeTold() || firstLook;
        boolean watch = partition.takeWatch();
        loop.execute(new PartitionLook(this, partition, loop, left, first, record, watch));
    }

    /** The outcome of a look: {@code slice} is what there was to read, or null. */
    void found(
            FetchSession.Partition partition,
            FetchResponseData.PartitionData row,
            FileSlice slice,
            boolean more,
            boolean added) {
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

    /** The outcome of a look that the reader is not to wait for more after. */
    void answerNow(FetchSession.Partition partition, FetchResponseData.PartitionData row) {
        if (done) {
            // This fetch was given up meanwhile: the next one has to find it again.
            session.keepDirty(partition);
        } else {
            answerNow = true;
            answer.put(partition, row);
        }
        result();
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
