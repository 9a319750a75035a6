package io.tidemark.broker.scenario;

import io.tidemark.broker.log.FlushTask;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.log.ReadResult;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.LeaderProbe;
import io.tidemark.broker.replica.ProducerVerdict;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.Check;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One broker's replica of a partition with its log: obeys the effects at once, and says what can be seen of them. */
final class Copy {
    /** A client's batch that has no offsets yet; null values: records without a value. */
    record Payload(int count, List<String> values, RecordText.Sequenced by) {}

    private final Cluster cluster;
    private final Out out;
    private final BrokerProcess process;
    private final SegmentLog log;
    private final Replica replica;
    private final Map<Long, Payload> payloads = new HashMap<>();
    private final Map<Long, Effect> reads = new HashMap<>();
    /** Batches of the fetch answer that is being handled. */
    private List<ByteBuffer> atHand = List.of();

    private String lastRole = "";
    private String lastIsr = "";
    private long lastMark;
    /** What was said of the cut that follows. */
    private String reason = "";

    Copy(Cluster cluster, BrokerProcess process, PartitionId id, OpenedLog opened) {
        this.cluster = cluster;
        this.out = cluster.out();
        this.process = process;
        this.log = opened.log();
        this.replica = new Replica(
                id, process.settings(), log.logStartOffset(), log.logEndOffset(), opened.highWatermark(), log.epochs());
        this.lastMark = replica.highWatermark();
    }

    Replica replica() {
        return replica;
    }

    SegmentLog log() {
        return log;
    }

    BrokerProcess process() {
        return process;
    }

    private String name() {
        int partition = replica.id().partition();
        return process.id() + (partition == 0 ? "" : " p" + partition);
    }

    private MonoTime now() {
        return new MonoTime(cluster.now());
    }

    // ---- steps ----

    void step(ReplicaEvent event) {
        process.heartbeat(cluster.now());
        List<Effect> effects = replica.step(now(), event).list();
        if (!(event instanceof ReplicaEvent.Removed)) {
            sayRole();
        }
        try {
            for (Effect effect : effects) {
                carryOut(effect);
            }
            if (!process.writesHeld) {
                write();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Check.that(
                replica.logStart() <= replica.highWatermark()
                        && replica.highWatermark() <= replica.logEnd()
                        && replica.logEnd() == log.logEndOffset()
                        && replica.stagedEnd() == log.stagedEndOffset(),
                "log start <= mark <= end, and the replica knows its log (R1.4)");
        Check.that(
                replica.epochs().truncateFromStart(replica.logStart()).equals(log.epochs()),
                "the replica knows the history of its log");
    }

    /** Lets the writes return that are staged. */
    void write() throws IOException {
        if (log.stagedEndOffset() > log.logEndOffset()) {
            step(new ReplicaEvent.Written(log.write()));
        }
    }

    private void carryOut(Effect effect) throws IOException {
        if (effect instanceof Effect.Stage stage) {
            Payload payload = payloads.remove(stage.token());
            List<String> values = payload.values() != null
                    ? payload.values()
                    : RecordText.usual(stage.baseOffset(), payload.count(), stage.epoch());
            log.stage(RecordText.batch(stage.baseOffset(), stage.epoch(), values, payload.by()), stage.epoch());
        } else if (effect instanceof Effect.StageFetched range) {
            for (ByteBuffer batch : atHand.subList(range.from(), range.to())) {
                log.stage(batch.duplicate(), range.epoch());
            }
        } else if (effect instanceof Effect.PersistEpochs persist) {
            log.persistEpochs(persist.epochs());
        } else if (effect instanceof Effect.Truncate cut) {
            long to = log.truncateTo(cut.offset());
            out.say("%s: %s%s", name(), reason, to == cut.offset() ? "" : ", in fact to " + to);
            step(new ReplicaEvent.LogTruncated(log.logStartOffset(), log.logEndOffset(), log.epochs()));
        } else if (effect instanceof Effect.TruncateFully restart) {
            out.say("%s: drops everything up to %d, starts at %d", name(), log.logEndOffset(), restart.offset());
            log.truncateFullyAndStartAt(restart.offset());
            step(new ReplicaEvent.LogTruncated(log.logStartOffset(), log.logEndOffset(), log.epochs()));
        } else if (effect instanceof Effect.RaiseLogStart raise) {
            log.raiseLogStart(raise.logStart());
            out.say("%s: log starts at %d", name(), raise.logStart());
        } else {
            tell(effect);
        }
    }

    private void tell(Effect effect) {
        if (effect instanceof Effect.Say say) {
            if (say.text().startsWith("truncating")) {
                reason = say.text().split(": ")[0];
            }
        } else if (effect instanceof Effect.HighWatermarkMoved moved) {
            if (moved.highWatermark() != lastMark) {
                lastMark = moved.highWatermark();
                out.say("%s: HW %d", name(), lastMark);
            }
        } else if (effect instanceof Effect.SendAlter send) {
            cluster.proposals().sent(this, send);
        } else if (effect instanceof Effect.ProduceAnswered answer) {
            boolean good = answer.error() == ReplicaError.NONE;
            payloads.remove(answer.token());
            out.say(
                    "%s: %s%s",
                    cluster.answered(answer.token()), answer.error(), good ? " at " + answer.baseOffset() : "");
        } else if (effect instanceof Effect.RecordsDeleted deleted) {
            boolean good = deleted.error() == ReplicaError.NONE;
            out.say(
                    "%s: %s%s",
                    cluster.answered(deleted.token()),
                    deleted.error(),
                    good ? " low watermark " + deleted.lowWatermark() : "");
        } else if (effect instanceof Effect.ReadAllowed read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.ReadDiverges read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.ReadRefused read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.OffsetFound read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.EpochFound read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.AskLeaderOffsets) {
            out.say("%s: asks its leader where the log starts and ends", name());
        }
    }

    private void sayRole() {
        if (replica.state() == null) {
            return;
        }
        String role = role();
        String isr = replica.leads() ? LeaderProbe.isr(replica) : "";
        String isrAt = isr + replica.state().partitionEpoch();
        if (!role.equals(lastRole)) {
            String from = replica.leads() || replica.follows() ? " from " + replica.logEnd() : "";
            out.say("%s: %s%s%s", name(), role(), from, isr.isEmpty() ? "" : ", " + isr);
        } else if (replica.leads() && !isrAt.equals(lastIsr)) {
            out.say("%s: %s PE=%d", name(), isr, replica.state().partitionEpoch());
        }
        lastRole = role;
        lastIsr = isrAt;
    }

    private String role() {
        int epoch = replica.state().leaderEpoch();
        if (replica.leads()) {
            return "leads LE=" + epoch;
        }
        return replica.follows() ? "follows " + replica.state().leader() + " LE=" + epoch : "no leader LE=" + epoch;
    }

    // ---- requests ----

    /** The answer to a question that is answered at once. */
    Effect ask(long token, ReplicaEvent question) {
        step(question);
        return reads.remove(token);
    }

    void produce(long token, short acks, long deadlineMs, Payload payload) {
        payloads.put(token, payload);
        step(new ReplicaEvent.ProduceRequested(token, acks, deadlineMs, payload.count(), verdict(payload)));
    }

    private ProducerVerdict verdict(Payload payload) {
        RecordText.Sequenced by = payload.by();
        if (by == null) {
            return ProducerVerdict.FRESH;
        }
        var found = log.producers()
                .check(by.producerId(), by.producerEpoch(), by.first(), by.first() + payload.count() - 1);
        if (found instanceof io.tidemark.broker.log.ProducerVerdict.Duplicate duplicate) {
            return new ProducerVerdict.Duplicate(
                    duplicate.firstOffset(), duplicate.lastOffset(), duplicate.timestamp());
        } else if (found instanceof io.tidemark.broker.log.ProducerVerdict.OutOfOrderSequence) {
            return new ProducerVerdict.Refused(ReplicaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "");
        } else if (found instanceof io.tidemark.broker.log.ProducerVerdict.InvalidEpoch) {
            return new ProducerVerdict.Refused(ReplicaError.INVALID_PRODUCER_EPOCH, "");
        }
        return ProducerVerdict.FRESH;
    }

    void receive(ReplicaEvent.FetchAnswered answer, List<ByteBuffer> batches) {
        atHand = batches;
        step(answer);
        atHand = List.of();
    }

    // ---- the log ----

    /** Whole batches from the one that holds {@code offset}, up to {@code limit}, at most so many. */
    List<ByteBuffer> read(long offset, long limit, int most) {
        List<ByteBuffer> batches = new ArrayList<>();
        try {
            long at = offset;
            while (batches.size() < most && log.read(at, limit, 1, true) instanceof ReadResult.Slice slice) {
                ByteBuffer bytes = ByteBuffer.allocate(slice.slice().length());
                slice.slice().copyTo(bytes);
                slice.slice().release();
                batches.add(bytes.flip());
                at = slice.nextOffset();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return batches;
    }

    void sync() throws IOException {
        FlushTask task = log.flushTask();
        task.run();
        log.completed(task);
        process.storePoints();
    }

    void show() {
        String role = replica.state() == null
                ? "has heard nothing"
                : role() + " PE=" + replica.state().partitionEpoch()
                        + (replica.leads() ? ", " + LeaderProbe.isr(replica) : "");
        out.say(
                "%s@%d: %s, LEO %d HW %d%s %s log %s",
                name(),
                process.brokerEpoch(),
                role,
                replica.logEnd(),
                replica.highWatermark(),
                log.logStartOffset() > 0 ? " start " + log.logStartOffset() : "",
                Words.of(log.epochs()),
                RecordText.of(read(log.logStartOffset(), log.logEndOffset(), Integer.MAX_VALUE)));
    }
}
