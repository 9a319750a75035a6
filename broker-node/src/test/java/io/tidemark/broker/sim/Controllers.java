package io.tidemark.broker.sim;

import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.BalanceSchedule;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.core.FenceReasons;
import io.tidemark.quorum.ratis.CoreDecisions;
import io.tidemark.quorum.ratis.DecisionMaker;
import io.tidemark.quorum.ratis.PendingImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Three controllers with the real rules over one ordered log that stands for Raft: what the leader appends is committed
 * after a while, in order, or is gone with the leader. Every controller applies what is committed in its own time.
 */
final class Controllers {
    static final int FIRST_ID = 101;
    static final int COUNT = 3;
    static final long SESSION_MS = 2_500;
    static final long HEARTBEAT_MS = 250;
    private static final long TICK_MICROS = 100_000;
    private static final int LEVEL = 1;

    /** What a caller is told: an answer, or why there is none. */
    interface Reply {
        void answer(QuorumReply.Answer answer);

        /** Nothing was appended here: this controller does not act. */
        void notActing();
    }

    private record Entry(long index, long term, MetadataEntry entry, long callId, int decidedBy) {}

    /** One controller. */
    private final class Controller {
        final int id;
        final DecisionMaker decisions = new CoreDecisions(
                new ControllerSettings("sim", 1, 3), SESSION_MS, HEARTBEAT_MS, new BalanceSchedule(7_000, 0));
        final PendingImage pending = new PendingImage();
        final Map<Long, Consumer<QuorumReply.Answer>> waiting = new HashMap<>();
        final List<Runnable> followers = new ArrayList<>();
        ClusterImage applied = ClusterImage.EMPTY;
        int appliedCount;
        /** The term it acts in, -1 if it does not. It may not know yet that another has begun. */
        long term = -1;
        /** It has applied everything from before its term. */
        boolean ready;

        long lastEntryMicros;
        boolean applying;

        Controller(int id) {
            this.id = id;
        }

        boolean acts() {
            return term >= 0 && ready;
        }

        void apply() {
            if (applying || appliedCount >= committed) {
                return;
            }
            applying = true;
            queue.after(chance.delay(50, slowApply), () -> {
                applying = false;
                applyAll();
            });
        }

        private void applyAll() {
            while (appliedCount < committed) {
                Entry next = log.get(appliedCount++);
                boolean effective = applied.chains(next.entry());
                ClusterImage before = applied;
                applied = applied.apply(next.index(), next.entry());
                lastEntryMicros = queue.now();
                if (!effective) {
                    pending.voided(next.index());
                    voids.add(next.index());
                }
                observer.applied(id, before, applied, next.index(), next.entry(), effective);
                Consumer<QuorumReply.Answer> caller = waiting.remove(next.callId());
                if (caller != null) {
                    caller.accept(new QuorumReply.Answer(
                            next.index(), effective ? next.entry().reply() : VOID));
                }
            }
            if (term >= 0 && !ready && appliedCount >= readyAt) {
                ready = true;
                trace.note("controller acts", id, term);
            }
            List<Runnable> told = List.copyOf(followers);
            followers.clear();
            told.forEach(Runnable::run);
        }

        void submitOwn(QuorumCommand command) {
            append(command, nextCall++, answer -> decisions.finished(command));
        }

        /** The caller hears only if the entry is committed while this controller leads. */
        void append(QuorumCommand command, long callId, Consumer<QuorumReply.Answer> caller) {
            QuorumReply refusal = decisions.refuse(command);
            if (refusal != null) {
                caller.accept(new QuorumReply.Answer(-1, refusal));
                return;
            }
            long wall = wallMs(id);
            ClusterImage image = pending.forTerm(term, () -> applied);
            DecisionMaker.Decided decided =
                    decisions.decide(term, image, applied, command, new WallTime(wall), queue.mono(), chance.bits());
            MetadataEntry entry = new MetadataEntry(
                    image.tip(),
                    Math.max(image.timestampMs(), wall),
                    decided.cause().by(id),
                    decided.records(),
                    decided.reply());
            boolean real = term == currentTerm;
            long index = real ? nextIndex() : image.index() + 1;
            pending.appended(index, entry);
            trace.note(
                    "append",
                    id,
                    term,
                    index,
                    entry.cause().kind(),
                    entry.cause().reason(),
                    real);
            if (!real) {
                // It has been replaced and does not know: the entry is never committed.
                return;
            }
            waiting.put(callId, caller);
            log.add(new Entry(index, term, entry, callId, id));
            commitLater();
        }

        void tick() {
            if (acts() && !paused) {
                duties();
            }
            queue.after(TICK_MICROS, this::tick);
        }

        private void duties() {
            if (applied.level() == 0) {
                submitOwn(new QuorumCommand.Bootstrap(LEVEL, Map.of()));
                return;
            }
            List<QuorumCommand.BrokerRef> expired = decisions.expired(term, applied, queue.mono());
            if (!expired.isEmpty()) {
                submitOwn(new QuorumCommand.FenceBrokers(expired, FenceReasons.SESSION_RAN_OUT));
            }
            decisions.duties(term, applied, queue.mono()).forEach(this::submitOwn);
            if (queue.now() - lastEntryMicros > 2_000_000) {
                lastEntryMicros = queue.now();
                submitOwn(new QuorumCommand.NoOp());
            }
        }
    }

    /** Hears of every entry that a controller applies. */
    interface Observer {
        void applied(
                int controller,
                ClusterImage before,
                ClusterImage after,
                long index,
                MetadataEntry entry,
                boolean effective);
    }

    private static final QuorumReply VOID =
            new QuorumReply.Refused(ErrorCode.VOID_ENTRY, "decided on a state that did not come to be");

    private final EventQueue queue;
    private final Trace trace;
    private final Chance chance;
    private final Observer observer;
    private final List<Controller> all = new ArrayList<>();
    private final List<Entry> log = new ArrayList<>();
    private final Map<Integer, Long> wallOffsetMs = new HashMap<>();
    private final Set<Long> voids = new HashSet<>();
    private int committed;
    private int committing;
    private int readyAt;
    private long currentTerm;
    private long lastIndex = -1;
    private long nextCall = 1;
    private long slowApply = 4_000;
    private boolean paused;

    Controllers(EventQueue queue, Trace trace, Chance chance, Observer observer) {
        this.queue = queue;
        this.trace = trace;
        this.chance = chance;
        this.observer = observer;
        for (int i = 0; i < COUNT; i++) {
            Controller controller = new Controller(FIRST_ID + i);
            all.add(controller);
            queue.after(chance.between(0, (int) TICK_MICROS), controller::tick);
        }
        elect(all.get(0));
    }

    long newCall() {
        return nextCall++;
    }

    private long nextIndex() {
        // Raft has entries of its own between ours.
        lastIndex += chance.oneIn(8) ? 2 : 1;
        return lastIndex;
    }

    private void commitLater() {
        if (paused || committing >= log.size()) {
            return;
        }
        int upTo = log.size();
        committing = upTo;
        long term = currentTerm;
        queue.after(chance.delay(300, 8_000), () -> {
            if (term == currentTerm && !paused) {
                commit(upTo);
            }
        });
    }

    private void commit(int upTo) {
        if (upTo > committed && upTo <= log.size()) {
            committed = upTo;
            all.forEach(Controller::apply);
        }
    }

    private Controller controller(int id) {
        return all.get(id - FIRST_ID);
    }

    // ---- faults ----

    /** Another controller leads from now on; entries that are not committed are kept or lost. */
    void changeLeader() {
        Controller next = chance.of(all);
        int kept = committed + (log.size() == committed ? 0 : chance.between(0, log.size() - committed));
        while (log.size() > kept) {
            log.remove(log.size() - 1);
        }
        lastIndex = (log.isEmpty() ? -1 : log.get(log.size() - 1).index()) + 1;
        elect(next);
        trace.note("quorum elects", next.id, currentTerm, "entries", kept - committed);
        committing = 0;
        commit(kept);
    }

    private void elect(Controller next) {
        currentTerm++;
        readyAt = log.size();
        for (Controller other : all) {
            if (other != next && other.term >= 0) {
                long term = other.term;
                // It learns a little later that it has been replaced.
                queue.after(chance.delay(0, 800_000), () -> {
                    if (other.term == term) {
                        other.term = -1;
                        other.ready = false;
                        other.waiting.clear();
                    }
                });
            }
        }
        next.term = currentTerm;
        next.ready = next.appliedCount >= readyAt;
        next.waiting.clear();
    }

    /** No controller gets anything done until {@link #resume}. */
    void pause() {
        paused = true;
        committing = 0;
        for (Controller controller : all) {
            controller.term = -1;
            controller.ready = false;
            controller.waiting.clear();
        }
        currentTerm++;
    }

    void resume() {
        if (paused) {
            paused = false;
            changeLeader();
        }
    }

    /** The leader decides on an entry that the log never gets. */
    void ghost() {
        for (Controller controller : all) {
            if (controller.acts() && controller.term == currentTerm) {
                controller.pending.forTerm(controller.term, () -> controller.applied);
                controller.pending.ghost();
                trace.note("ghost entry", controller.id);
            }
        }
    }

    /** How long controllers take to apply what is committed, at most, microseconds. */
    void slowApply(long micros) {
        slowApply = micros;
    }

    void jumpClock(int id, long ms) {
        wallOffsetMs.merge(id, ms, Long::sum);
    }

    private long wallMs(int id) {
        return Simulation.WALL_START_MS + queue.now() / 1000 + wallOffsetMs.getOrDefault(id, 0L);
    }

    // ---- what brokers and clients ask ----

    /** A command arrives at that controller. */
    void command(int id, long callId, QuorumCommand command, Reply reply) {
        Controller controller = controller(id);
        if (!controller.acts()) {
            reply.notActing();
            return;
        }
        Entry known = find(callId);
        if (known == null) {
            controller.append(command, callId, reply::answer);
        } else if (known.index() <= controller.applied.index()) {
            // The retry cache: a call is carried out once, and its answer is kept.
            boolean effective = !voids.contains(known.index());
            reply.answer(new QuorumReply.Answer(
                    known.index(), effective ? known.entry().reply() : VOID));
        } else {
            controller.waiting.put(callId, reply::answer);
        }
    }

    private Entry find(long callId) {
        for (int i = log.size() - 1; i >= Math.max(0, log.size() - 200); i--) {
            if (log.get(i).callId() == callId) {
                return log.get(i);
            }
        }
        return null;
    }

    /** A heartbeat arrives; null if that controller does not act. */
    QuorumQuery.HeartbeatAnswer heartbeat(int id, QuorumQuery.Heartbeat beat) {
        Controller controller = controller(id);
        if (!controller.acts()) {
            return null;
        }
        DecisionMaker.Beat judged =
                controller.decisions.heartbeat(controller.term, controller.applied, beat, queue.mono());
        if (judged.toSubmit() != null) {
            controller.submitOwn(judged.toSubmit());
        }
        return new QuorumQuery.HeartbeatAnswer(
                judged.error(),
                controller.term,
                judged.caughtUp(),
                judged.fenced(),
                judged.shouldShutDown(),
                controller.applied.index());
    }

    /**
     * A broker asks for what follows {@code position} (a count of entries); {@code news} gets the entries, or the image if
     * {@code whole}, at once or when there is something.
     */
    void poll(int id, int position, boolean whole, BiConsumer<Integer, Feed> news) {
        Controller controller = controller(id);
        if (controller.appliedCount <= position) {
            controller.followers.add(() -> poll(id, position, whole, news));
            return;
        }
        List<Feed.Indexed> entries = new ArrayList<>();
        for (Entry entry : log.subList(position, controller.appliedCount)) {
            entries.add(new Feed.Indexed(entry.index(), entry.entry()));
        }
        news.accept(controller.appliedCount, new Feed(whole ? controller.applied : null, entries));
    }

    /** What a poll brings: the image as a whole, or the entries since. */
    record Feed(ClusterImage image, List<Indexed> entries) {
        record Indexed(long index, MetadataEntry entry) {}

        ClusterImage after(ClusterImage before) {
            if (image != null) {
                return image;
            }
            ClusterImage folded = before;
            for (Indexed next : entries) {
                folded = folded.apply(next.index(), next.entry());
            }
            return folded;
        }
    }

    /** Who acts, as far as anybody can tell; -1 if nobody. */
    int acting() {
        for (Controller controller : all) {
            if (controller.acts() && controller.term == currentTerm) {
                return controller.id;
            }
        }
        return -1;
    }

    /** Of the controller that has applied most. */
    ClusterImage newest() {
        Controller best = all.get(0);
        for (Controller controller : all) {
            if (controller.appliedCount > best.appliedCount) {
                best = controller;
            }
        }
        return best.applied;
    }

    List<ClusterImage> images() {
        return all.stream().map(controller -> controller.applied).toList();
    }
}
