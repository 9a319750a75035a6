package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers what is asked of a controller without an entry: polls, history, status; as the acting one heartbeats and members. */
final class QueryAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(QueryAnswers.class);

    private final DecisionMaker decisions;
    private final NodeClock clock;
    private final LongSupplier term;
    private final Supplier<AppliedState> applied;
    private final Supplier<QuorumQuery.StatusAnswer> status;
    private final RecordFeed feed;
    private final HistoryReads historyReads;
    private final QuorumMembers members;

    /** Takes commands that heartbeats led to. */
    private volatile Consumer<QuorumCommand> submitter = command -> {};

    QueryAnswers(
            DecisionMaker decisions,
            NodeClock clock,
            LongSupplier term,
            Supplier<AppliedState> applied,
            Supplier<QuorumQuery.StatusAnswer> status,
            RecordFeed feed,
            HistoryReads historyReads,
            QuorumMembers members) {
        this.decisions = decisions;
        this.clock = clock;
        this.term = term;
        this.applied = applied;
        this.status = status;
        this.feed = feed;
        this.historyReads = historyReads;
        this.members = members;
    }

    /** Before the server starts. */
    void submitTo(Consumer<QuorumCommand> consumer) {
        submitter = consumer;
    }

    /** Errors are answered in words: an exception would break the caller's stream with all its other requests. */
    CompletableFuture<Message> answer(Message request, boolean leading) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try {
            QuorumQuery query = QueryCodec.decodeQuery(request.getContent().toByteArray());
            if (query instanceof QuorumQuery.Poll poll) {
                answer = feed.poll(poll);
            } else if (query instanceof QuorumQuery.ReadHistory read) {
                historyReads.read(read, answer);
            } else if (query instanceof QuorumQuery.ReadKeyframe read) {
                historyReads.read(read, answer);
            } else if (query instanceof QuorumQuery.ReadPart read) {
                return CompletableFuture.completedFuture(message(feed.large().part(read)));
            } else if (query instanceof QuorumQuery.Status) {
                feed.offload(answer, () -> QueryCodec.encode(status.get()));
            } else if (!leading) {
                answer.complete(QueryCodec.encodeFailure("heartbeats and members are for the acting controller"));
            } else if (query instanceof QuorumQuery.Members) {
                answer.complete(QueryCodec.encode(members.answer(applied.get().image())));
            } else {
                answer.complete(QueryCodec.encode(heartbeat((QuorumQuery.Heartbeat) query)));
            }
        } catch (UnreadableException e) {
            answer.complete(QueryCodec.encodeFailure(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("a query failed", e);
            answer.complete(QueryCodec.encodeFailure(e.toString()));
        }
        return answer.thenApply(feed.large()::sent).thenApply(QueryAnswers::message);
    }

    private QuorumQuery.HeartbeatAnswer heartbeat(QuorumQuery.Heartbeat heartbeat) {
        long inTerm = term.getAsLong();
        AppliedState here = applied.get();
        DecisionMaker.Beat beat = decisions.heartbeat(inTerm, here.image(), heartbeat, clock.mono());
        if (beat.error() == ErrorCode.NONE) {
            members.heartbeat(inTerm, heartbeat.brokerId(), heartbeat.metadataIndex(), here);
        }
        if (beat.toSubmit() != null) {
            submitter.accept(beat.toSubmit());
        }
        return new QuorumQuery.HeartbeatAnswer(
                beat.error(),
                inTerm,
                beat.caughtUp(),
                beat.fenced(),
                beat.shouldShutDown(),
                here.image().index());
    }

    static Message message(byte[] bytes) {
        return Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    }
}
