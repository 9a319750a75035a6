package io.tidemark.quorum.ratis;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots off the applying thread, by size and by time, on every replica for itself; then asks Ratis to adopt
 * what is written and to purge its log. A snapshot that cannot be written only lets the log grow: it is tried again.
 */
final class Snapshotter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshotter.class);
    private static final long CHECK_MS = 1_000;
    private static final long ADOPT_TIMEOUT_MS = 10_000;

    private final MetadataStateMachine machine;
    private final RaftServer server;
    private final RaftGroupId groupId;
    private final NodeClock clock;
    private final HistoryKeeper history;
    private final long intervalMs;
    private final long maxBytes;
    private final ClientId clientId = ClientId.randomId();
    private final ScheduledThreadPoolExecutor thread;

    private long lastMs;
    private long lastBytes;
    private long lastTip;

    Snapshotter(
            MetadataStateMachine machine,
            RaftServer server,
            RaftGroupId groupId,
            NodeClock clock,
            HistoryKeeper history,
            QuorumSettings settings) {
        this.machine = machine;
        this.server = server;
        this.groupId = groupId;
        this.clock = clock;
        this.history = history;
        this.intervalMs = settings.snapshotIntervalMs();
        this.maxBytes = settings.snapshotBytes();
        this.lastMs = clock.mono().ms();
        this.lastTip = machine.applied().image().index();
        this.thread =
                new ScheduledThreadPoolExecutor(1, Threads.daemon("controller-" + settings.nodeId() + "-snapshots"));
        thread.scheduleWithFixedDelay(this::check, CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
    }

    private void check() {
        boolean bySize = machine.appliedBytes() - lastBytes >= maxBytes;
        boolean byTime = intervalMs > 0
                && clock.mono().ms() - lastMs >= intervalMs
                && machine.applied().image().index() > lastTip;
        if (bySize || byTime) {
            takeNow();
        }
    }

    /** Writes one and has it adopted; false if that failed, which is logged. */
    private boolean takeNow() {
        try {
            long bytes = machine.appliedBytes();
            AppliedState state = machine.applied();
            machine.snapshots().write(state);
            keepHistory(state.index());
            RaftClientReply reply = server.snapshotManagementAsync(SnapshotManagementRequest.newCreate(
                            clientId, server.getId(), groupId, CallId.getAndIncrement(), ADOPT_TIMEOUT_MS, 1))
                    .get(ADOPT_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            if (!reply.isSuccess()) {
                throw new IOException("not adopted: " + reply.getException());
            }
            lastMs = clock.mono().ms();
            lastBytes = bytes;
            lastTip = state.image().index();
            LOG.info("snapshot of the metadata at index {}", state.index());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
            LOG.warn("a snapshot of the metadata failed; it is tried again", e);
        }
        return false;
    }

    /** Before the log is purged; what cannot be kept is lost to the tool only, and must not keep the log from shrinking. */
    private void keepHistory(long applied) {
        try {
            history.keep(applied);
            history.trim(clock.wall().ms());
        } catch (IOException | RuntimeException e) {
            LOG.warn("the history of the metadata could not be kept up to index {}", applied, e);
        }
    }

    /** Takes one whatever the schedule says, on the scheduler's thread; false if it failed. */
    boolean take() throws InterruptedException, ExecutionException {
        return thread.submit(this::takeNow).get();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
