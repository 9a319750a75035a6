package io.tidemark.broker.runtime;

import io.tidemark.broker.log.FlushTask;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.replica.Replica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes what is staged in the log of one partition and syncs it, beside further appends; and says up to where appends
 * count: as far as is written, or as is synced if the topic wants that (B16). The loop's.
 */
final class LogWriter {
    private final PartitionHost host;
    private final WorkOrder work;
    /** Bytes handed to the log that must stay valid until it has written them. */
    private final List<Runnable> releaseAfterWrite = new ArrayList<>();

    LogWriter(PartitionHost host, WorkOrder work) {
        this.host = host;
        this.work = work;
    }

    /** {@code release} is called once what is staged now is written, or never will be. */
    void releaseOnceWritten(Runnable release) {
        releaseAfterWrite.add(release);
    }

    void releaseWritten() {
        releaseAfterWrite.forEach(Runnable::run);
        releaseAfterWrite.clear();
    }

    /** One gathering write of all that is staged; then the replica hears of its end (B22). */
    void write() {
        SegmentLog log = host.log();
        if (host.failed() || work.paused() || log == null || log.stagedEndOffset() == log.logEndOffset()) {
            return;
        }
        try {
            log.write();
            releaseWritten();
            if (!synced()) {
                host.counts(log.logEndOffset());
            }
            if (!work.paused() && (synced() || log.needsFlush())) {
                flush();
            }
        } catch (IOException | RuntimeException e) {
            host.fail(e);
        }
    }

    /** Whether appends count only once they are synced. */
    private boolean synced() {
        return host.settings().log().synced();
    }

    /** Syncs what is written, beside further appends. */
    void flush() {
        if (cannotFlush()) {
            return;
        }
        write();
        if (cannotFlush()) {
            return;
        }
        FlushTask task = host.log().flushTask();
        work.flush(task::run, problem -> {
            completed(task);
            if (problem != null) {
                host.fail(problem);
            }
            countSynced();
        });
    }

    private boolean cannotFlush() {
        return host.failed() || work.paused() || work.flushing() || host.log() == null;
    }

    private void completed(FlushTask task) {
        try {
            host.log().completed(task);
        } catch (IOException | RuntimeException e) {
            host.fail(e);
        }
    }

    /** B16: takes over what was synced meanwhile, and syncs on. */
    void countSynced() {
        SegmentLog log = host.log();
        Replica replica = host.replica();
        if (host.failed() || work.paused() || log == null || replica == null || !synced()) {
            return;
        }
        if (log.recoveryPoint() > replica.logEnd()) {
            host.counts(log.recoveryPoint());
        }
        if (replica.logEnd() < log.logEndOffset()) {
            flush();
        }
    }

    /** Appends of one leader epoch count before the next one starts. */
    void onceAllCounts(Runnable then) {
        write();
        if (work.paused()) {
            work.addFirst(() -> onceAllCounts(then));
            return;
        }
        SegmentLog log = host.log();
        if (host.failed() || host.replica().logEnd() == log.logEndOffset()) {
            then.run();
            return;
        }
        work.hold();
        work.onceFlushed(() -> {
            FlushTask task = log.flushTask();
            work.elsewhere(task::run, () -> {
                        completed(task);
                        host.counts(log.recoveryPoint());
                        then.run();
                    })
                    .run();
        });
    }
}
