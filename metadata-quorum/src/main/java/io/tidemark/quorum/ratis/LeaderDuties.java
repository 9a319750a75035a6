package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.quorum.core.BalanceSchedule;
import io.tidemark.quorum.core.FenceReasons;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.server.DivisionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the acting controller does by itself: the first entry of a new cluster, fencing of brokers whose session ran out,
 * an empty entry when nothing else is written; and, leader or not, a look at whether the division is still there. Whether it leads is asked each time, since the end of a leadership is not
 * always told.
 */
final class LeaderDuties implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderDuties.class);

    /** How often the duties are looked at, milliseconds. */
    static final long TICK_MS = 100;

    /** How often a controller that seems to be no member asks whether that is so, milliseconds. */
    private static final long LEFT_OUT_QUESTION_MS = 2_000;

    /** The level of record kinds this version writes. */
    private static final int LEVEL = 1;

    private final MetadataStateMachine machine;
    private final DivisionInfo info;
    private final DecisionMaker decisions;
    private final InternalCommands commands;
    private final NodeClock clock;
    private final long noOpIntervalMs;
    private final Map<String, String> bootstrapConfigs;
    private final ScheduledThreadPoolExecutor thread;
    private long lastQuestionMs;
    /** One look out of turn at a time, however many regular ones find something meanwhile; this thread's. */
    private boolean againScheduled;

    LeaderDuties(
            MetadataStateMachine machine,
            DivisionInfo info,
            DecisionMaker decisions,
            InternalCommands commands,
            NodeClock clock,
            QuorumSettings settings) {
        this.machine = machine;
        this.info = info;
        this.decisions = decisions;
        this.commands = commands;
        this.clock = clock;
        this.noOpIntervalMs = settings.noOpIntervalMs();
        this.lastQuestionMs = clock.mono().ms() - LEFT_OUT_QUESTION_MS;
        this.bootstrapConfigs = settings.bootstrapConfigs();
        this.thread = new ScheduledThreadPoolExecutor(1, Threads.daemon("controller-" + settings.nodeId() + "-duties"));
        machine.answers().submitTo(this::submit);
        thread.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            if (!info.isAlive()) {
                // Not always told: a division that closes by itself leaves a live process that refuses everything.
                machine.membership().divisionClosed();
            } else if (info.isLeader() && info.isLeaderReady()) {
                machine.members().look();
                duties(info.getCurrentTerm(), machine.applied().image());
            } else if (machine.membership().leftOut() && clock.mono().ms() - lastQuestionMs >= LEFT_OUT_QUESTION_MS) {
                lastQuestionMs = clock.mono().ms();
                machine.membership().endIfRemoved();
            }
        } catch (RuntimeException e) {
            LOG.error("a duty of the acting controller failed; it is tried again", e);
        }
    }

    private void again() {
        againScheduled = false;
        tick();
    }

    private void duties(long term, ClusterImage image) {
        if (image.level() == 0) {
            commands.submit(new QuorumCommand.Bootstrap(LEVEL, bootstrapConfigs));
            return;
        }
        List<BrokerRef> expired = decisions.expired(term, image, clock.mono());
        if (!expired.isEmpty()) {
            commands.submit(new QuorumCommand.FenceBrokers(expired, FenceReasons.SESSION_RAN_OUT));
        }
        List<QuorumCommand> due = decisions.duties(term, image, clock.mono());
        due.forEach(commands::submit);
        if (!due.isEmpty() && !againScheduled) {
            // There may be more to do once this is done.
            againScheduled = true;
            thread.schedule(this::again, BalanceSchedule.AGAIN_MS, TimeUnit.MILLISECONDS);
        }
        if (clock.mono().ms() - machine.lastEntryMs() >= noOpIntervalMs) {
            commands.submit(new QuorumCommand.NoOp());
        }
    }

    /** Takes a command from any thread. */
    void submit(QuorumCommand command) {
        try {
            thread.execute(() -> commands.submit(command));
        } catch (RejectedExecutionException e) {
            LOG.debug("closing, not submitted: {}", command);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
