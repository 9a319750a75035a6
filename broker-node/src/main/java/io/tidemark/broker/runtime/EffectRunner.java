package io.tidemark.broker.runtime;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what the replica of one partition wants done, in order: on the log, towards the controllers, the leader and
 * whoever waits. An effect that waits pauses the partition, and those behind it follow once it is done. The loop's.
 */
final class EffectRunner {
    /** All that is said of a partition is said in the name of its host. */
    private static final Logger LOG = LoggerFactory.getLogger(PartitionHost.class);

    /** Records of a fetch answer that effects refer to, kept until they are written. */
    record Fetched(ByteBuffer records, Runnable release) {}

    private final PartitionHost host;
    private final LogName name;
    private final PartitionLoop loop;
    private final WorkOrder work;
    private final LogWriter writer;
    private final PartitionReads reads;
    private final Unanswered unanswered;

    EffectRunner(PartitionHost host, WorkOrder work, LogWriter writer, PartitionReads reads, Unanswered unanswered) {
        this.host = host;
        this.name = host.name();
        this.loop = host.loop();
        this.work = work;
        this.writer = writer;
        this.reads = reads;
        this.unanswered = unanswered;
    }

    /** @param fetched what the effects of a fetch answer refer to, else null */
    void run(List<Effect> effects, Fetched fetched) {
        run(effects, 0, fetched);
    }

    private void run(List<Effect> effects, int from, Fetched fetched) {
        SegmentLog log = host.log();
        for (int i = from; i < effects.size(); i++) {
            Effect effect = effects.get(i);
            if (effect.waits()) {
                int next = i + 1;
                writer.write();
                lowerMarkBefore(effect);
                work.pause(() -> carryOutBlocking(effect), () -> {
                    afterBlocking(effect);
                    run(effects, next, fetched);
                });
                return;
            }
            int bytes = stagedBytes(effect);
            if (bytes > 0 && log.needsRoll(bytes)) {
                int again = i;
                writer.write();
                work.pause(log::roll, () -> run(effects, again, fetched));
                return;
            }
            carryOut(effect, fetched);
        }
        if (fetched != null) {
            if (log.stagedEndOffset() == log.logEndOffset()) {
                fetched.release().run();
            } else {
                writer.releaseOnceWritten(fetched.release());
            }
            loop.fetchers().positionMoved(host);
        }
    }

    // ---- what may block ----

    /** A checkpoint taken during the cut must not say more than the log holds after it. */
    private void lowerMarkBefore(Effect effect) {
        if (effect instanceof Effect.Truncate truncate) {
            host.lowerHighWatermark(truncate.offset());
        } else if (effect instanceof Effect.TruncateFully truncate) {
            host.lowerHighWatermark(truncate.offset());
        }
    }

    private int stagedBytes(Effect effect) {
        if (effect instanceof Effect.Stage stage) {
            return unanswered.bytes(stage.token()).remaining();
        }
        return effect instanceof Effect.StageFetched fetched ? fetched.to() - fetched.from() : 0;
    }

    private void carryOutBlocking(Effect effect) throws IOException {
        SegmentLog log = host.log();
        if (effect instanceof Effect.PersistEpochs persist) {
            log.persistEpochs(persist.epochs());
        } else if (effect instanceof Effect.Truncate truncate) {
            log.truncateTo(truncate.offset());
        } else if (effect instanceof Effect.TruncateFully truncate) {
            log.truncateFullyAndStartAt(truncate.offset());
        }
    }

    private void afterBlocking(Effect effect) {
        if (effect instanceof Effect.PersistEpochs) {
            return;
        }
        SegmentLog log = host.log();
        host.step(new ReplicaEvent.LogTruncated(log.logStartOffset(), log.logEndOffset(), log.epochs()));
        loop.fetchers().positionMoved(host);
    }

    // ---- what is done at once ----

    private void carryOut(Effect effect, Fetched fetched) {
        if (effect instanceof Effect.Stage stage) {
            stage(stage);
        } else if (effect instanceof Effect.StageFetched range) {
            stage(range, fetched);
        } else if (effect instanceof Effect.ProduceAnswered answer) {
            if (answer.error() == ReplicaError.REQUEST_TIMED_OUT) {
                loop.tally().add(Counted.PRODUCES_EXPIRED, 1);
            }
            unanswered.answer(answer);
        } else if (effect instanceof Effect.ReadAllowed allowed) {
            reads.allowed(allowed);
        } else if (effect instanceof Effect.ReadRefused refused) {
            reads.refused(refused);
        } else if (effect instanceof Effect.ReadDiverges diverges) {
            reads.diverges(diverges);
        } else if (effect instanceof Effect.HighWatermarkMoved moved) {
            host.highWatermarkMoved(moved.highWatermark());
        } else if (effect instanceof Effect.Notify notify) {
            loop.notifyWatchers(notify.watchers(), host.id(), notify.data());
        } else {
            carryOutRare(effect);
        }
    }

    private void carryOutRare(Effect effect) {
        if (effect instanceof Effect.OffsetFound || effect instanceof Effect.EpochFound) {
            reads.found(effect);
        } else if (effect instanceof Effect.ReadElsewhere elsewhere) {
            reads.elsewhere(elsewhere);
        } else if (effect instanceof Effect.SendAlter alter) {
            loop.awaitsFeed(host);
            loop.ports()
                    .alter()
                    .send(answer -> loop.post(() -> host.alterAnswered(answer)), alter.proposal(), alter.request());
        } else if (effect instanceof Effect.StartFetching start) {
            loop.fetchers().start(host, start.leader(), start.leaderEpoch());
        } else if (effect instanceof Effect.StopFetching) {
            loop.fetchers().stop(host);
        } else if (effect instanceof Effect.AskLeaderOffsets ask) {
            loop.fetchers().askLeaderOffsets(host, ask.leaderEpoch());
        } else if (effect instanceof Effect.RecordsDeleted deleted) {
            unanswered.answer(deleted);
        } else if (effect instanceof Effect.RaiseLogStart raise) {
            host.log().raiseLogStart(raise.logStart());
        } else if (effect instanceof Effect.Happened happened) {
            loop.tally().add(Counted.valueOf(happened.what()), 1);
        } else if (effect instanceof Effect.Say say) {
            LOG.info("[{}] {}", name, say.text());
        } else {
            throw new IllegalStateException("nothing carries out " + effect);
        }
    }

    private void stage(Effect.Stage stage) {
        ByteBuffer bytes = unanswered.bytes(stage.token());
        loop.tally().add(Counted.MESSAGES_IN, unanswered.header(stage.token()).count());
        loop.tally().add(Counted.BYTES_IN, bytes.remaining());
        host.log().stage(bytes, stage.epoch());
        writer.releaseOnceWritten(unanswered.staged(stage.token()));
        loop.stagedIn(host);
    }

    private void stage(Effect.StageFetched range, Fetched fetched) {
        ByteBuffer slice = fetched.records().duplicate();
        slice.limit(range.to()).position(range.from());
        host.log().stage(slice, range.epoch());
        int bytes = range.to() - range.from();
        loop.tally().add(Counted.REPLICATION_BYTES_IN, bytes);
        if (host.replica().isAdded()) {
            loop.tally().add(Counted.REASSIGNMENT_BYTES_IN, bytes);
        }
        loop.stagedIn(host);
    }
}
