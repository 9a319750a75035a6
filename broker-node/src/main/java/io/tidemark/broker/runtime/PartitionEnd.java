package io.tidemark.broker.runtime;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one partition ends here: out of service after a fault, removed because it was deleted or moved away, or closed for an
 * orderly stop. Whoever waits is told in each case. The loop's.
 */
final class PartitionEnd {
    /** All that is said of a partition is said in the name of its host. */
    private static final Logger LOG = LoggerFactory.getLogger(PartitionHost.class);

    private final PartitionHost host;
    private final LogName name;
    private final PartitionLoop loop;
    private final WorkOrder work;
    private final LogWriter writer;
    private final PartitionReads reads;
    private final Unanswered unanswered;
    private final CoordinatorAccess coordinator;
    private String outOfService;
    /** Removed or closed: its directory is no longer this partition's to touch. */
    private boolean gone;

    private final CompletableFuture<Boolean> whenGone = new CompletableFuture<>();

    PartitionEnd(
            PartitionHost host,
            WorkOrder work,
            LogWriter writer,
            PartitionReads reads,
            Unanswered unanswered,
            CoordinatorAccess coordinator) {
        this.host = host;
        this.name = host.name();
        this.loop = host.loop();
        this.work = work;
        this.writer = writer;
        this.reads = reads;
        this.unanswered = unanswered;
        this.coordinator = coordinator;
    }

    /** Why this partition does nothing any more; null if it works. */
    String outOfService() {
        return outOfService;
    }

    CompletableFuture<Boolean> whenGone() {
        return whenGone;
    }

    // ---- a fault ----

    /** Stops this partition loudly: it takes no append any more, and everybody who waits is told. */
    void fail(Throwable problem) {
        if (host.failed()) {
            return;
        }
        LOG.error("[{}] partition stopped, it is out of service until this broker is restarted", name, problem);
        work.stop();
        outOfService = problem.toString();
        if (problem instanceof IOException disk) {
            loop.ports().logs().failed(name, disk);
        }
        unanswered.refuseAll(ReplicaError.KAFKA_STORAGE_ERROR);
        writer.releaseWritten();
        reads.abort();
        loop.fetchers().stop(host);
        coordinator.retireMarkListeners();
        if (host.replica() != null) {
            for (Effect effect :
                    host.replica().step(loop.now(), new ReplicaEvent.Removed()).list()) {
                if (effect instanceof Effect.Notify notify) {
                    loop.notifyWatchers(notify.watchers(), host.id(), true);
                }
            }
        }
    }

    /** Its work has thrown {@code problem}, be it that of its removal. */
    void workFailed(Throwable problem) {
        fail(problem);
        if (gone) {
            left(false);
        }
    }

    // ---- removal ----

    void remove() {
        loop.remove(host);
        work.add(
                () -> {
                    gone = true;
                    writer.write();
                    host.step(new ReplicaEvent.Removed());
                    loop.remove(host);
                    SegmentLog removed = host.log();
                    work.pause(() -> loop.ports().logs().remove(name, host.id(), removed), () -> {
                        LOG.info("[{}] removed", name);
                        work.stop();
                        left(true);
                    });
                },
                this::removeFailed);
    }

    /** A partition out of service goes too, or its name would stay taken. */
    private void removeFailed() {
        if (gone) {
            return;
        }
        gone = true;
        SegmentLog removed = host.log();
        work.last(() -> loop.ports().logs().remove(name, host.id(), removed), problem -> {
            if (problem == null) {
                LOG.info("[{}] removed, it was out of service", name);
            } else {
                LOG.error("[{}] could not be removed", name, problem);
            }
            left(problem == null);
        });
    }

    private void left(boolean removed) {
        loop.gone(host);
        whenGone.complete(removed);
    }

    // ---- an orderly stop ----

    void close(CompletableFuture<Boolean> done) {
        Runnable ifFailed = () -> done.complete(false);
        work.add(
                () -> {
                    gone = true;
                    writer.write();
                    host.step(new ReplicaEvent.Removed());
                    work.pause(host.log()::close, () -> {
                        work.stop();
                        done.complete(true);
                    });
                    work.add(ifFailed, ifFailed);
                },
                ifFailed);
    }
}
