package io.tidemark.quorum.ratis;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.BalanceSchedule;
import io.tidemark.quorum.core.BrokerLiveness;
import io.tidemark.quorum.core.Controller;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.core.DecideContext;
import io.tidemark.quorum.core.Decision;
import io.tidemark.quorum.core.ElectionRemainder;
import io.tidemark.quorum.core.FenceRemainder;
import io.tidemark.quorum.core.HeartbeatOutcome;
import io.tidemark.quorum.core.LeadersMoved;
import io.tidemark.quorum.core.ProcessWatch;
import io.tidemark.quorum.core.StatelessChecks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The rules of {@code quorum.core} with the sessions of the acting controller. Sessions begin anew at the first use in a
 * term, which comes only after this controller is ready in it: it has applied everything from before (R7.97).
 */
public final class CoreDecisions implements DecisionMaker {
    private final ControllerSettings settings;
    /** The lock of both. */
    private final BrokerLiveness liveness;

    private final ProcessWatch processes;
    private final BalanceSchedule balance;
    private final FenceRemainder fences = new FenceRemainder();
    private final ElectionRemainder elections = new ElectionRemainder();
    private final LeadersMoved moved = new LeadersMoved();

    /** Without elections from time to time. */
    public CoreDecisions(ControllerSettings settings, long sessionMs, long heartbeatIntervalMs) {
        this(settings, sessionMs, heartbeatIntervalMs, new BalanceSchedule(0, 0));
    }

    /**
     * @param sessionMs how long a broker may be silent, milliseconds, at least 4 ticks of {@link LeaderDuties}
     * @param heartbeatIntervalMs between a broker's heartbeats, milliseconds, at most a quarter of a session
     */
    public CoreDecisions(
            ControllerSettings settings, long sessionMs, long heartbeatIntervalMs, BalanceSchedule balance) {
        this.settings = settings;
        this.balance = balance;
        this.liveness = new BrokerLiveness(sessionMs, LeaderDuties.TICK_MS);
        this.processes = new ProcessWatch(sessionMs, heartbeatIntervalMs, LeaderDuties.TICK_MS);
    }

    @Override
    public QuorumReply refuse(QuorumCommand command) {
        return StatelessChecks.refuse(command, settings);
    }

    @Override
    public Decided decide(
            long term,
            ClusterImage pending,
            ClusterImage applied,
            QuorumCommand command,
            WallTime now,
            MonoTime monoNow,
            long random) {
        synchronized (liveness) {
            activate(term, applied, monoNow);
        }
        DecideContext context = new DecideContext(
                now,
                monoNow,
                random,
                id -> sessionAlive(pending.broker(id), monoNow),
                id -> stillAnswers(id, monoNow),
                id -> movedLately(id, monoNow),
                settings);
        Decision decision = Controller.decide(pending, command, context);
        synchronized (liveness) {
            elections.decided(command, decision, pending);
            if (settings.leaderIsolationFailover()) {
                moved.decided(decision, monoNow);
            }
        }
        return new Decided(decision.records(), decision.reply(), decision.cause());
    }

    private boolean sessionAlive(BrokerState broker, MonoTime now) {
        synchronized (liveness) {
            return broker != null && liveness.sessionAlive(new BrokerRef(broker.id(), broker.epoch()), now);
        }
    }

    private boolean movedLately(PartitionId id, MonoTime now) {
        synchronized (liveness) {
            return moved.lately(id, now);
        }
    }

    private boolean stillAnswers(int brokerId, MonoTime now) {
        synchronized (liveness) {
            return processes.stillAnswers(brokerId, now);
        }
    }

    @Override
    public Beat heartbeat(long term, ClusterImage applied, QuorumQuery.Heartbeat heartbeat, MonoTime now) {
        synchronized (liveness) {
            activate(term, applied, now);
            HeartbeatOutcome outcome = liveness.heartbeat(applied, heartbeat, now);
            if (outcome.error() == ErrorCode.NONE) {
                processes.heartbeat(new BrokerRef(heartbeat.brokerId(), heartbeat.brokerEpoch()), now);
            }
            return new Beat(
                    outcome.error(),
                    outcome.caughtUp(),
                    outcome.fenced(),
                    outcome.shouldShutDown(),
                    outcome.toSubmit());
        }
    }

    @Override
    public List<BrokerRef> expired(long term, ClusterImage applied, MonoTime now) {
        synchronized (liveness) {
            activate(term, applied, now);
            return liveness.expired(applied, now);
        }
    }

    @Override
    public List<QuorumCommand> duties(long term, ClusterImage applied, MonoTime now) {
        synchronized (liveness) {
            activate(term, applied, now);
            List<QuorumCommand> due = new ArrayList<>(balance.due(applied, now));
            fences.due(applied).ifPresent(due::add);
            elections.due(applied).ifPresent(due::add);
            return due;
        }
    }

    @Override
    public Watching watch(long term, ClusterImage applied, MonoTime now) {
        synchronized (liveness) {
            activate(term, applied, now);
            List<ProcessWatch.Order> orders = processes.step(applied, now);
            for (ProcessWatch.Order order : orders) {
                if (order instanceof ProcessWatch.Order.Fence fence) {
                    fence.brokers().forEach(broker -> liveness.gone(broker, now));
                }
            }
            return new Watching(orders, processes.nextStep());
        }
    }

    @Override
    public void connection(long term, BrokerRef broker, ProcessWatch.Event event, MonoTime now) {
        synchronized (liveness) {
            if (term == liveness.term()) {
                processes.happened(broker, event, now);
            }
        }
    }

    @Override
    public Map<Integer, String> fastPathOff() {
        synchronized (liveness) {
            return processes.fastPathOff();
        }
    }

    @Override
    public void finished(QuorumCommand command) {
        synchronized (liveness) {
            liveness.finished(command);
            if (command instanceof QuorumCommand.FenceBrokers fence) {
                fences.finished(fence);
            }
        }
    }

    /** A late caller of an earlier term must not bring its sessions back. */
    private void activate(long term, ClusterImage applied, MonoTime now) {
        if (term > liveness.term()) {
            liveness.activate(term, applied, now);
            processes.activate(now);
            balance.activate(now);
            fences.activate(applied);
            elections.activate();
        }
    }
}
