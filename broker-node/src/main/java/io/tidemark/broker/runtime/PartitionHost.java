package io.tidemark.broker.runtime;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.log.ProducerState;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.log.TimestampLookup;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * One partition on its loop, and the door to it: what comes is an event of the replica, whose effects are carried out on the
 * log. While a sync is under way the partition is paused: its events wait in order and the log belongs to the thread that
 * syncs.
 *
 * <pre>
 *   Opening  --log created or recovered--&gt; Running
 *   Running  --effect that waits, roll---&gt; Paused   --done--&gt; Running
 *   any      --I/O error, broken rule----&gt; Failed   (answers KAFKA_STORAGE_ERROR until restart; never appends again)
 *   Running  --deleted or moved away-----&gt; Gone
 * </pre>
 */
public final class PartitionHost {
    private final PartitionId id;
    private final LogName name;
    private final PartitionLoop loop;
    private TopicSettings settings;
    private Replica replica;
    private SegmentLog log;
    private final WorkOrder work;
    private final Unanswered unanswered = new Unanswered();
    private final TickTimer tick;
    private final LogWriter writer;
    private final PartitionReads reads;
    private final ClientWrites writes;
    private final CoordinatorAccess coordinator;
    private final FetcherAccess fetcher;
    private final EffectRunner effects;
    private final PartitionEnd end;
    private volatile long highWatermark;

    private PartitionHost(PartitionId id, LogName name, PartitionLoop loop, TopicSettings settings) {
        this.id = id;
        this.name = name;
        this.loop = loop;
        this.settings = settings;
        this.work = new WorkOrder(loop, new WorkOrder.Owner() {
            @Override
            public void failed(Throwable problem) {
                end.workFailed(problem);
            }

            @Override
            public void resumed() {
                goOn();
            }
        });
        this.tick = new TickTimer(this);
        this.writer = new LogWriter(this, work);
        this.reads = new PartitionReads(this, work);
        this.writes = new ClientWrites(this, work, unanswered);
        this.coordinator = new CoordinatorAccess(this, work, writes, reads);
        this.fetcher = new FetcherAccess(this, work);
        this.effects = new EffectRunner(this, work, writer, reads, unanswered);
        this.end = new PartitionEnd(this, work, writer, reads, unanswered, coordinator);
    }

    /** A partition whose log was recovered at start. */
    public static PartitionHost recovered(
            PartitionId id,
            LogName name,
            PartitionLoop loop,
            TopicSettings settings,
            ReplicaSettings replicaSettings,
            OpenedLog opened) {
        PartitionHost host = new PartitionHost(id, name, loop, settings);
        host.opened(opened, replicaSettings);
        loop.add(host);
        return host;
    }

    /** A partition that is new here: its log is created first, everything else waits. */
    static PartitionHost create(
            PartitionId id, LogName name, PartitionLoop loop, TopicSettings settings, ReplicaSettings replicaSettings) {
        PartitionHost host = new PartitionHost(id, name, loop, settings);
        loop.add(host);
        OpenedLog[] opened = new OpenedLog[1];
        host.work.hold();
        loop.ports()
                .logs()
                .whenFree(
                        name,
                        id,
                        host.work.elsewhere(
                                () -> opened[0] = loop.ports().logs().create(name, id, settings.log()),
                                () -> host.opened(opened[0], replicaSettings)));
        return host;
    }

    private void opened(OpenedLog opened, ReplicaSettings replicaSettings) {
        log = opened.log();
        highWatermark = opened.highWatermark();
        replica = new Replica(
                id, replicaSettings, log.logStartOffset(), log.logEndOffset(), opened.highWatermark(), log.epochs());
    }

    public PartitionId id() {
        return id;
    }

    public LogName name() {
        return name;
    }

    public PartitionLoop loop() {
        return loop;
    }

    /** Any thread. */
    public long highWatermark() {
        return highWatermark;
    }

    /** Bytes of the log; 0 before it is open. The loop's. */
    public long sizeInBytes() {
        return log == null ? 0 : log.sizeInBytes();
    }

    /** How far the log ends below its high watermark: what a follower has to fetch yet. The loop's. */
    public long offsetLag() {
        return log == null ? 0 : Math.max(0, highWatermark - log.logEndOffset());
    }

    /** The producers that the log remembers, none before it is open. The loop's. */
    public void producers(BiConsumer<Long, ProducerState> each) {
        if (log != null) {
            log.producers().forEach(each);
        }
    }

    /** Last metadata applied; null before the first. */
    public PartitionState state() {
        return replica == null ? null : replica.state();
    }

    /** Null before its log is open. */
    public Replica replica() {
        return replica;
    }

    /** Null before it is open. The loop's, and not to be changed past this partition. */
    public SegmentLog log() {
        return log;
    }

    /** Whether it waits for work on its disk that is done elsewhere. The loop's. */
    public boolean paused() {
        return work.paused();
    }

    /** Why this partition does nothing any more; null if it works. The loop's. */
    public String outOfService() {
        return end.outOfService();
    }

    /** Appends of clients that are not answered yet. The loop's. */
    public int waitingProduces() {
        return unanswered.produces();
    }

    /** Deletions of records that are not answered yet. The loop's. */
    public int waitingDeletions() {
        return unanswered.deletions();
    }

    public boolean failed() {
        return work.stopped();
    }

    TopicSettings settings() {
        return settings;
    }

    boolean changePending() {
        return !failed() && replica != null && replica.changePending();
    }

    // ---- metadata ----

    void metadata(ReplicaEvent.MetadataChanged changed, TopicSettings newSettings) {
        settings(newSettings);
        work.add(() -> writer.onceAllCounts(() -> step(changed)));
    }

    /** The topic's configuration, from the next batch on. */
    void settings(TopicSettings newSettings) {
        work.add(() -> {
            settings = newSettings;
            log.settings(newSettings.log());
        });
    }

    void eligibility(ReplicaEvent.EligibilityChanged changed) {
        work.add(() -> step(changed));
    }

    void feedReached(long index) {
        work.add(() -> step(new ReplicaEvent.FeedReached(index)));
    }

    void alterAnswered(ReplicaEvent answer) {
        work.add(() -> step(answer));
    }

    // ---- clients and followers ----

    /** R5.3, R5.20-R5.32: one batch of a client. */
    public void produce(ClientBatch batch, short acks, long deadlineMs) {
        writes.produce(batch, acks, deadlineMs);
    }

    /** A fetch of a consumer or a follower: at most {@code maxBytes}, or one larger batch if {@code atLeastOneBatch}. */
    public void read(ReplicaEvent fetch, long offset, int maxBytes, boolean atLeastOneBatch, ReadSink sink) {
        reads.read(fetch, offset, maxBytes, atLeastOneBatch, sink);
    }

    /**
     * DeleteRecords (R3.26): gives up all records below {@code offset}, or below the high watermark for -1.
     *
     * @param timeoutMs how long the answer may wait for the other replicas
     */
    public void deleteRecords(long offset, int timeoutMs, DeletionSink sink) {
        writes.deleteRecords(offset, timeoutMs, sink);
    }

    /** ListOffsets and OffsetsForLeaderEpoch: {@code sink} gets the effect, or the error if the partition has failed. */
    public void ask(ReplicaEvent question, BiConsumer<Effect, ReplicaError> sink) {
        reads.ask(question, sink);
    }

    /** R3.22: whether look-ups beyond the mark are not available yet. */
    public boolean markBehindEpochStart() {
        return replica != null && replica.markBehindEpochStart();
    }

    /** Finds a record by time below {@code limit}; {@code timestamp} -3 asks for the largest one. */
    public void lookUp(long timestamp, long limit, BiConsumer<Optional<TimestampLookup.Found>, ReplicaError> sink) {
        reads.lookUp(timestamp, limit, sink);
    }

    public void watch(long watcher, boolean follower) {
        work.add(() -> step(new ReplicaEvent.Watch(watcher, follower)));
    }

    /** That session does not fetch this partition any more. */
    public void sessionLeft(SessionClock clock) {
        work.add(() -> step(new ReplicaEvent.SessionLeft(clock)));
    }

    /** The broker's lease has run out (B6). */
    public void leaseRanOut() {
        work.add(() -> step(new ReplicaEvent.LeaseRanOut()));
    }

    public void unwatch(long watcher) {
        work.add(() -> step(new ReplicaEvent.Unwatch(watcher)));
    }

    /** For a coordinator that lives on this partition. */
    public CoordinatorAccess coordinator() {
        return coordinator;
    }

    /** For the fetcher of this partition while it follows. */
    public FetcherAccess fetcher() {
        return fetcher;
    }

    // ---- running ----

    /** The replica hears of it, and what it wants done is done. */
    void step(ReplicaEvent event) {
        step(event, null);
    }

    /** @param fetched what the effects of a fetch answer refer to, else null */
    void step(ReplicaEvent event, EffectRunner.Fetched fetched) {
        List<Effect> wanted = replica.step(loop.now(), event).list();
        coordinator.retireMarkListeners();
        effects.run(wanted, fetched);
        if (!paused()) {
            tick.schedule();
        }
    }

    void highWatermarkMoved(long mark) {
        highWatermark = mark;
        coordinator.markMoved(mark);
    }

    /** The log is about to be cut at {@code offset}. */
    void lowerHighWatermark(long offset) {
        highWatermark = Math.min(highWatermark, offset);
    }

    void writeStaged() {
        writer.write();
    }

    /** Everything below {@code end} is safe enough to be acknowledged: written, or synced (B16). */
    void counts(long end) {
        effects.run(replica.step(loop.now(), new ReplicaEvent.Written(end)).list(), null);
        loop.fetchers().positionMoved(this);
        tick.schedule();
    }

    /** It was paused: what came of that. */
    private void goOn() {
        if (log != null && log.stagedEndOffset() > log.logEndOffset()) {
            loop.stagedIn(this);
        }
        tick.schedule();
        loop.fetchers().positionMoved(this);
        writer.countSynced();
    }

    /** The replica has something to do by now. */
    void tick() {
        work.add(() -> step(new ReplicaEvent.Tick()));
    }

    // ---- upkeep ----

    /** R5.35. */
    public void forgetSilentProducers(long wallClockMs) {
        work.add(() -> {
            writeStaged();
            log.forgetSilentProducers(wallClockMs);
        });
    }

    /** Deletes what retention gives up. */
    public void applyRetention(long wallClockMs) {
        work.add(() -> {
            writeStaged();
            work.pause(
                    () -> log.deleteOldSegments(wallClockMs, highWatermark),
                    () -> step(new ReplicaEvent.LogStartMoved(log.logStartOffset())));
        });
    }

    // ---- the end ----

    /** Stops this partition loudly: it takes no append any more, and everybody who waits is told. */
    void fail(Throwable problem) {
        end.fail(problem);
    }

    /**
     * The partition is deleted or moved away: everybody is told, then its log goes; once. Its id is free at once, however
     * long this one is busy: if it is moved back, that is for a successor, whose log is created when the name is free.
     */
    void remove() {
        end.remove();
    }

    /** Completes with whether its log is gone, once {@link PartitionLoop#leaving} does not name it any more. */
    public CompletableFuture<Boolean> whenGone() {
        return end.whenGone();
    }

    /** Writes, syncs and closes the log for an orderly stop; completes with whether all of it was done. */
    public void close(CompletableFuture<Boolean> done) {
        end.close(done);
    }
}
