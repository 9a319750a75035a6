package io.tidemark.quorum.ratis;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.ProcessWatch;
import java.util.List;
import java.util.Map;

/**
 * The acting controller's judgement as the shell needs it: decisions on images, and the sessions of brokers. Called
 * from several threads at once.
 */
public interface DecisionMaker {
    /** A refusal that needs no state, so that it costs no entry; null if the command must be decided. */
    QuorumReply refuse(QuorumCommand command);

    /**
     * What the command leads to on that image.
     *
     * @param term of the leader that decides
     * @param pending what to decide on; {@code applied} is what is committed, for sessions
     * @param random fresh random bits for placement and ids
     */
    Decided decide(
            long term,
            ClusterImage pending,
            ClusterImage applied,
            QuorumCommand command,
            WallTime now,
            MonoTime monoNow,
            long random);

    /** A sign of life, judged on the applied image. */
    Beat heartbeat(long term, ClusterImage applied, QuorumQuery.Heartbeat heartbeat, MonoTime now);

    /** The brokers whose sessions have run out, to be fenced by one decision (B4). */
    List<BrokerRef> expired(long term, ClusterImage applied, MonoTime now);

    /** What else the acting controller is to ask of the log now: elections from time to time, the rest of a large fence. */
    List<QuorumCommand> duties(long term, ClusterImage applied, MonoTime now);

    /** What to do about the connections to brokers, and when to ask again at the latest (B5). */
    Watching watch(long term, ClusterImage applied, MonoTime now);

    /** What became of a connection that {@link #watch} of that term led to. */
    void connection(long term, BrokerRef broker, ProcessWatch.Event event, MonoTime now);

    /** Brokers whose death only the session timer would show, and why. */
    Map<Integer, String> fastPathOff();

    /** A command that {@link #heartbeat}, {@link #expired}, {@link #duties} or {@link #watch} led to was answered, in whatever way. */
    void finished(QuorumCommand command);

    record Watching(List<ProcessWatch.Order> orders, MonoTime next) {}

    /** No records together with a refusal is a rejection. */
    record Decided(List<MetadataRecord> records, QuorumReply reply, MetadataEntry.Cause cause) {}

    /**
     * @param toSubmit the command that the heartbeat led to, or null
     */
    record Beat(ErrorCode error, boolean caughtUp, boolean fenced, boolean shouldShutDown, QuorumCommand toSubmit) {}
}
