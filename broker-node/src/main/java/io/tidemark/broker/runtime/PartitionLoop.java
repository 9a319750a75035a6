package io.tidemark.broker.runtime;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Many partitions and everything that waits for them, driven by one thread at a time. A turn runs what was posted, then
 * what time has made due, then writes what was staged (one gathering write per partition), then wakes readers, then lets
 * followers fetch on: what was gathered in a turn costs one of each.
 */
public final class PartitionLoop implements HostedLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLoop.class);
    /** Posted work done in one turn before timers and writes get theirs. */
    private static final int POSTED_PER_TURN = 10_000;
    /** Cancelled timers that may lie about before they are cleared away. */
    private static final int MAX_CANCELLED = 1_000;

    /** What a loop needs from outside itself. */
    public record Ports(
            Executor blocking, Executor readers, AlterPartitionSender alter, LogStore logs, ReplicationQuotas quotas) {
        public Ports(Executor blocking, Executor readers, AlterPartitionSender alter, LogStore logs) {
            this(blocking, readers, alter, logs, new ReplicationQuotas());
        }
    }

    /** Without a host, the thread that drove it last does. */
    private final class ByHand implements Waker {
        @Override
        public void wake() {}

        @Override
        public boolean inLoop() {
            return Thread.currentThread() == thread;
        }
    }

    /** Something due at a time; may be cancelled. */
    public static final class Timer implements Comparable<Timer> {
        private final long atMs;
        private final PartitionLoop loop;
        private Runnable task;
        private boolean cancelled;

        private Timer(long atMs, Runnable task, PartitionLoop loop) {
            this.atMs = atMs;
            this.task = task;
            this.loop = loop;
        }

        /** On the loop; also after it has run. */
        public void cancel() {
            if (!cancelled && task != null) {
                cancelled = true;
                task = null;
                loop.cancelled++;
            }
        }

        private Runnable takeTask() {
            Runnable taken = task;
            task = null;
            return taken;
        }

        @Override
        public int compareTo(Timer other) {
            return Long.compare(atMs, other.atMs);
        }
    }

    private final int index;
    private final int loops;
    private final MonoClock clock;
    private final Ports ports;
    private final ConcurrentLinkedQueue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final Map<PartitionId, PartitionHost> hosts = new HashMap<>();
    /** Those that are no longer this broker's, as long as their logs are still there. */
    private final Set<PartitionHost> leaving = new LinkedHashSet<>();

    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Set<PartitionHost> staged = new LinkedHashSet<>();
    private final ArrayDeque<Runnable> turnEnd = new ArrayDeque<>();
    private final Map<Long, Watcher> watchers = new HashMap<>();
    private final Set<PartitionHost> awaitingFeed = new LinkedHashSet<>();
    private final Tally tally = new Tally();
    private Partitions partitions;
    private Fetchers fetchers;
    private volatile Waker waker = new ByHand();
    private volatile Thread thread;
    private long nextToken;
    /** Timers in the queue that are cancelled. */
    private int cancelled;

    private MonoTime now;

    /** Loop {@code index} of {@code loops}. */
    public PartitionLoop(int index, int loops, MonoClock clock, Ports ports) {
        this.index = index;
        this.loops = loops;
        this.clock = clock;
        this.ports = ports;
        this.now = clock.now();
    }

    /** Before the first turn. */
    public void wire(Partitions all, Fetchers fetcherSide) {
        this.partitions = all;
        this.fetchers = fetcherSide;
    }

    public void waker(Waker host) {
        this.waker = host;
    }

    public int index() {
        return index;
    }

    /** Any thread: runs {@code task} on this loop, in order of posting. */
    public void post(Runnable task) {
        posted.add(task);
        waker.wake();
    }

    /** Runs {@code task} now if this is the loop's thread, else posts it. */
    public void execute(Runnable task) {
        if (waker.inLoop()) {
            task.run();
        } else {
            post(task);
        }
    }

    /** The time of this turn. */
    public MonoTime now() {
        return now;
    }

    /** For work that enters from the host between turns, such as a request just read. */
    public MonoTime refreshTime() {
        thread = Thread.currentThread();
        now = clock.now();
        return now;
    }

    Ports ports() {
        return ports;
    }

    Fetchers fetchers() {
        return fetchers;
    }

    /** What this loop has counted; on the loop. */
    public Tally tally() {
        return tally;
    }

    /** From whom the partitions of this loop fetch, and how much they have; on the loop. */
    public List<FetchedFrom> fetchedFrom() {
        return fetchers.fetchedFrom();
    }

    /** A name for a waiting answer or reader, unique in this process; says which loop it belongs to. */
    public long nextToken() {
        return nextToken++ * loops + index;
    }

    /** The partition of that id on this loop, or null. */
    public PartitionHost host(PartitionId id) {
        return hosts.get(id);
    }

    public Collection<PartitionHost> hosts() {
        return hosts.values();
    }

    void add(PartitionHost host) {
        hosts.put(host.id(), host);
    }

    /** Partitions that are being removed: their ids are free, their logs are not gone yet. On the loop. */
    public List<PartitionHost> leaving() {
        return List.copyOf(leaving);
    }

    /** Its id is free from here on; {@link #gone} follows. */
    void remove(PartitionHost host) {
        if (hosts.remove(host.id(), host)) {
            leaving.add(host);
        }
        staged.remove(host);
        awaitingFeed.remove(host);
    }

    void gone(PartitionHost host) {
        leaving.remove(host);
    }

    public Timer at(long atMs, Runnable task) {
        if (cancelled > MAX_CANCELLED && cancelled > timers.size() / 2) {
            // Clients choose how far off a deadline is, and mostly it is cancelled long before.
            timers.removeIf(timer -> timer.cancelled);
            cancelled = 0;
        }
        Timer timer = new Timer(atMs, task, this);
        timers.add(timer);
        return timer;
    }

    /** Timers in the queue, cancelled ones too; on the loop. */
    public int timers() {
        return timers.size();
    }

    /** Readers that hear of this loop's partitions or of others'; on the loop. */
    public int watchers() {
        return watchers.size();
    }

    /** Runs {@code task} once what this turn staged is written. */
    public void atTurnEnd(Runnable task) {
        turnEnd.add(task);
    }

    void stagedIn(PartitionHost host) {
        staged.add(host);
    }

    void awaitsFeed(PartitionHost host) {
        awaitingFeed.add(host);
    }

    /** Registers a reader of this loop under a fresh token. */
    public long watch(Watcher watcher) {
        long token = nextToken();
        watchers.put(token, watcher);
        return token;
    }

    public void unwatch(long token) {
        watchers.remove(token);
    }

    /** Tells readers, on whatever loop they live. */
    void notifyWatchers(long[] tokens, PartitionId id, boolean data) {
        for (long token : tokens) {
            PartitionLoop home = partitions.loop((int) (token % loops));
            if (home == this) {
                tell(token, id, data);
            } else {
                home.post(() -> home.tell(token, id, data));
            }
        }
    }

    private void tell(long token, PartitionId id, boolean data) {
        Watcher watcher = watchers.get(token);
        if (watcher != null) {
            watcher.changed(id, data);
        }
    }

    /** The image has reached {@code imageIndex}: changes of ISRs that were accepted below it may take effect. */
    void feedReached(long imageIndex) {
        for (PartitionHost host : new ArrayList<>(awaitingFeed)) {
            host.feedReached(imageIndex);
            if (!host.changePending()) {
                awaitingFeed.remove(host);
            }
        }
    }

    @Override
    public void runOnce(MonoTime time) {
        thread = Thread.currentThread();
        now = time;
        runPosted();
        runTimers();
        do {
            writeStaged();
            runTurnEnd();
        } while (!staged.isEmpty());
        fetchers.endOfTurn(now);
        if (!posted.isEmpty() || !staged.isEmpty() || !turnEnd.isEmpty()) {
            waker.wake();
        }
    }

    private void runPosted() {
        for (int i = 0; i < POSTED_PER_TURN; i++) {
            Runnable task = posted.poll();
            if (task == null) {
                return;
            }
            guarded(task);
        }
    }

    private void runTimers() {
        while (!timers.isEmpty() && (timers.peek().cancelled || timers.peek().atMs <= now.ms())) {
            Timer timer = timers.poll();
            if (timer.cancelled) {
                cancelled--;
            } else {
                guarded(timer.takeTask());
            }
        }
    }

    private void writeStaged() {
        List<PartitionHost> hostsToWrite = new ArrayList<>(staged);
        staged.clear();
        for (PartitionHost host : hostsToWrite) {
            host.writeStaged();
        }
    }

    private void runTurnEnd() {
        for (int i = turnEnd.size(); i > 0; i--) {
            guarded(turnEnd.poll());
        }
    }

    /** A bug in the work for one request must not take the other partitions of the loop with it. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("work on a partition loop failed", e);
        }
    }

    @Override
    public MonoTime nextDeadline() {
        while (!timers.isEmpty() && timers.peek().cancelled) {
            timers.poll();
            cancelled--;
        }
        long next = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atMs;
        next = Math.min(next, fetchers.nextDeadlineMs());
        return next == Long.MAX_VALUE ? null : new MonoTime(next);
    }
}
