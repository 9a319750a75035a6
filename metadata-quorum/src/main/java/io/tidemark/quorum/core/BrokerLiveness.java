package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import io.tidemark.model.metadata.QuorumCommand.ShutDownBroker;
import io.tidemark.model.metadata.QuorumCommand.UnfenceBroker;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who is alive, as the acting controller remembers it: soft state that no log holds and that begins anew with every term.
 * A broker's sign of life is answered at once from the applied image; what it leads to is a command for the log.
 *
 * <pre>
 * image               the broker says                         command            answer (R7.11)
 * fenced              wants to shut down                      -                  shut down now
 * fenced              does not want the fence, is caught up   UnfenceBroker      fenced, until the image says otherwise
 * fenced              anything else                           -                  fenced
 * unfenced            wants the fence                         FenceBrokers       not fenced, until the image says so
 * unfenced            wants to shut down, leads something     ShutDownBroker     wait
 * unfenced            wants to shut down, leads nothing       FenceBrokers       wait, until the image has the fence
 * unfenced            anything else                           -                  not fenced
 * shutting down       leads something                         ShutDownBroker     wait
 * shutting down       leads nothing, every active broker has
 *                     applied the entry that began it         FenceBrokers       wait, until the image has the fence
 * shutting down       anything else                           -                  wait
 * </pre>
 *
 * A command about the same incarnation is not asked for again while one of its kind is outstanding: until {@link
 * #finished} reports it or a session's length has passed.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls. Times are monotonic.
 */
public final class BrokerLiveness {
    private static final long NOT_ACTIVE = -1;

    /** The memory of one registered incarnation (R1.15). */
    private static final class Session {
        final long brokerEpoch;
        MonoTime deadline;
        /** Highest entry the broker has reported as applied; -1 before its first heartbeat of this term. */
        long metadataIndex = -1;

        Session(long brokerEpoch, MonoTime deadline) {
            this.brokerEpoch = brokerEpoch;
            this.deadline = deadline;
        }
    }

    private record Outstanding(Class<? extends QuorumCommand> kind, BrokerRef broker, MonoTime since) {}

    private final long sessionMs;
    private final long tickMs;
    private final Map<Integer, Session> sessions = new HashMap<>();
    private final Map<Integer, Outstanding> outstanding = new HashMap<>();
    private long term = NOT_ACTIVE;
    private MonoTime lastTick;

    /**
     * @param sessionMs how long a broker may be silent, milliseconds, 1 or more
     * @param tickMs {@link #expired} is called at least this often; being late by more than a quarter of a session
     *     prolongs all sessions (B5)
     */
    public BrokerLiveness(long sessionMs, long tickMs) {
        this.sessionMs = sessionMs;
        this.tickMs = tickMs;
    }

    /** With eight ticks in a session. */
    public BrokerLiveness(long sessionMs) {
        this(sessionMs, Math.max(1, sessionMs / 8));
    }

    /**
     * A term as the acting controller begins; every unfenced broker has a fresh session (R7.15).
     *
     * @param image with the first entry of the own term applied (R7.97)
     */
    public void activate(long newTerm, ClusterImage image, MonoTime now) {
        deactivate();
        term = newTerm;
        lastTick = now;
        for (BrokerState broker : image.brokers().values()) {
            if (!broker.fenced()) {
                sessions.put(broker.id(), fresh(broker, now));
            }
        }
    }

    /** Another controller acts: nothing that is remembered here counts any more. */
    public void deactivate() {
        term = NOT_ACTIVE;
        sessions.clear();
        outstanding.clear();
    }

    /** The term given to {@link #activate}, or -1. */
    public long term() {
        return term;
    }

    /** Takes a sign of life; refused with NOT_CONTROLLER outside a term. */
    public HeartbeatOutcome heartbeat(ClusterImage image, Heartbeat beat, MonoTime now) {
        if (term == NOT_ACTIVE) {
            return HeartbeatOutcome.refused(ErrorCode.NOT_CONTROLLER);
        }
        BrokerState broker = image.broker(beat.brokerId());
        if (broker == null) {
            return HeartbeatOutcome.refused(ErrorCode.BROKER_ID_NOT_REGISTERED);
        }
        if (broker.epoch() != beat.brokerEpoch()) {
            return HeartbeatOutcome.refused(ErrorCode.STALE_BROKER_EPOCH);
        }
        Session session = sessions.get(broker.id());
        if (session == null || session.brokerEpoch != broker.epoch()) {
            session = fresh(broker, now);
            sessions.put(broker.id(), session);
        }
        session.deadline = now.plus(sessionMs);
        session.metadataIndex = Math.max(session.metadataIndex, beat.metadataIndex());
        boolean caughtUp = session.metadataIndex >= broker.epoch();
        QuorumCommand next = next(image, broker, beat, caughtUp);
        return new HeartbeatOutcome(
                ErrorCode.NONE,
                caughtUp,
                broker.fenced(),
                broker.fenced() && beat.wantShutDown(),
                next == null || alreadyUnderWay(next, now) ? null : next);
    }

    private QuorumCommand next(ClusterImage image, BrokerState broker, Heartbeat beat, boolean caughtUp) {
        BrokerRef ref = new BrokerRef(broker.id(), broker.epoch());
        if (broker.fenced()) {
            return !beat.wantShutDown() && !beat.wantFence() && caughtUp ? new UnfenceBroker(ref) : null;
        }
        if (broker.shuttingDown()) {
            if (PartitionMoves.leadsAny(image, broker.id())) {
                return new ShutDownBroker(ref);
            }
            return lowestIndexOfActive(image) >= broker.shutdownIndex()
                    ? new FenceBrokers(List.of(ref), FenceReasons.SHUTDOWN_COMPLETE)
                    : null;
        }
        if (beat.wantFence()) {
            return new FenceBrokers(List.of(ref), FenceReasons.ASKED_FOR);
        }
        if (beat.wantShutDown()) {
            return PartitionMoves.leadsAny(image, broker.id())
                    ? new ShutDownBroker(ref)
                    : new FenceBrokers(List.of(ref), FenceReasons.SHUTDOWN_OF_NO_LEADER);
        }
        return null;
    }

    /** What every active broker is known to have applied (R7.12); unbounded if there is none. */
    private long lowestIndexOfActive(ClusterImage image) {
        long lowest = Long.MAX_VALUE;
        for (BrokerState broker : image.brokers().values()) {
            if (broker.active()) {
                Session session = sessions.get(broker.id());
                boolean known = session != null && session.brokerEpoch == broker.epoch();
                lowest = Math.min(lowest, known ? session.metadataIndex : -1);
            }
        }
        return lowest;
    }

    /**
     * All unfenced brokers whose sessions have run out, for one command (B4). If this call comes late by more than a
     * quarter of a session, the controller was not there to hear them: their sessions are prolonged by the lateness
     * first (B5). Heartbeats that wait are to be handled before this is called.
     */
    public List<BrokerRef> expired(ClusterImage image, MonoTime now) {
        if (term == NOT_ACTIVE) {
            return List.of();
        }
        forgiveLateness(now);
        sessions.entrySet().removeIf(entry -> isOver(image.broker(entry.getKey()), entry.getValue(), now));
        List<BrokerRef> result = new ArrayList<>();
        for (BrokerState broker : image.brokers().values()) {
            if (broker.fenced()) {
                continue;
            }
            Session session = sessions.computeIfAbsent(broker.id(), id -> fresh(broker, now));
            BrokerRef ref = new BrokerRef(broker.id(), broker.epoch());
            if (now.compareTo(session.deadline) >= 0 && !alreadyUnderWay(new FenceBrokers(List.of(ref), ""), now)) {
                result.add(ref);
            }
        }
        return result;
    }

    private void forgiveLateness(MonoTime now) {
        long lateness = now.since(lastTick) - tickMs;
        lastTick = now;
        if (lateness > sessionMs / 4) {
            MonoTime latest = now.plus(sessionMs);
            for (Session session : sessions.values()) {
                MonoTime prolonged = session.deadline.plus(lateness);
                session.deadline = prolonged.compareTo(latest) < 0 ? prolonged : latest;
            }
        }
    }

    /** Whether a session is of no more use: of another incarnation, or run out and without consequence. */
    private static boolean isOver(BrokerState broker, Session session, MonoTime now) {
        return broker == null
                || broker.epoch() != session.brokerEpoch
                || (broker.fenced() && now.compareTo(session.deadline) >= 0);
    }

    /** The process is known to be gone and its fence is under way: its session is over (B5). */
    public void gone(BrokerRef broker, MonoTime now) {
        Session session = sessions.get(broker.brokerId());
        if (session != null && session.brokerEpoch == broker.brokerEpoch()) {
            session.deadline = now;
            alreadyUnderWay(new FenceBrokers(List.of(broker), ""), now);
        }
    }

    /** Whether that incarnation has been heard of within a session's length (R1.15), or may still be (R7.15). */
    public boolean sessionAlive(BrokerRef broker, MonoTime now) {
        Session session = sessions.get(broker.brokerId());
        return session != null && session.brokerEpoch == broker.brokerEpoch() && now.compareTo(session.deadline) < 0;
    }

    /** When {@link #expired} is next worth calling; only between {@link #activate} and {@link #deactivate}. */
    public MonoTime nextDeadline() {
        MonoTime next = lastTick.plus(tickMs);
        for (Session session : sessions.values()) {
            if (session.deadline.compareTo(lastTick) > 0 && session.deadline.compareTo(next) < 0) {
                next = session.deadline;
            }
        }
        return next;
    }

    /** That command was answered, in whatever way: it may be asked for again. */
    public void finished(QuorumCommand command) {
        for (BrokerRef ref : subjects(command)) {
            Outstanding pending = outstanding.get(ref.brokerId());
            if (pending != null
                    && pending.kind() == command.getClass()
                    && pending.broker().equals(ref)) {
                outstanding.remove(ref.brokerId());
            }
        }
    }

    /** Whether a command of that kind about that one incarnation is under way; if not, it is from now on. */
    private boolean alreadyUnderWay(QuorumCommand command, MonoTime now) {
        BrokerRef ref = subjects(command).get(0);
        Outstanding pending = outstanding.get(ref.brokerId());
        boolean same = pending != null
                && pending.kind() == command.getClass()
                && pending.broker().equals(ref)
                && now.since(pending.since()) < sessionMs;
        if (!same) {
            outstanding.put(ref.brokerId(), new Outstanding(command.getClass(), ref, now));
        }
        return same;
    }

    private static List<BrokerRef> subjects(QuorumCommand command) {
        if (command instanceof FenceBrokers fence) {
            return fence.brokers();
        } else if (command instanceof UnfenceBroker unfence) {
            return List.of(unfence.broker());
        } else if (command instanceof ShutDownBroker shutDown) {
            return List.of(shutDown.broker());
        }
        return List.of();
    }

    private Session fresh(BrokerState broker, MonoTime now) {
        return new Session(broker.epoch(), now.plus(sessionMs));
    }
}
