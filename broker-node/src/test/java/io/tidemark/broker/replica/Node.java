package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One broker's replica with its model log: obeys the effects at once, and keeps what leaves the broker. */
final class Node {
    final int id;
    final ModelLog log;
    final Replica replica;
    final ReplicaSettings settings;
    /** Epoch of this incarnation's registration. */
    final long brokerEpoch;

    final List<Effect> effects = new ArrayList<>();
    final Map<Long, Effect.ProduceAnswered> answers = new HashMap<>();
    final Map<Long, Effect> reads = new HashMap<>();
    final Map<Long, Effect.RecordsDeleted> deletions = new HashMap<>();
    final Deque<Effect.SendAlter> alters = new ArrayDeque<>();
    /** Contents of produce requests that have not been staged yet. */
    private final Map<Long, List<String>> contents = new HashMap<>();
    /** Batches of the fetch answer that is being handled. */
    private List<ModelLog.Batch> atHand = List.of();

    /** Whether a write returns within the step that staged it. */
    boolean writesAtOnce = true;

    Node(int id, PartitionId partition, ModelLog log, long highWatermark, long brokerEpoch) {
        this(id, partition, log, highWatermark, brokerEpoch, LeaderLease.endless());
    }

    Node(int id, PartitionId partition, ModelLog log, long highWatermark, long brokerEpoch, LeaderLease lease) {
        this.id = id;
        this.log = log;
        this.brokerEpoch = brokerEpoch;
        ReplicaSettings usual = ReplicaSettings.defaults(id);
        this.settings = new ReplicaSettings(
                id,
                usual.lagTimeMaxMs(),
                usual.alterRetryMs(),
                usual.refusedRetryMs(),
                usual.fetchBackoffMs(),
                usual.fetchRetryMs(),
                lease);
        this.replica = new Replica(partition, settings, log.start(), log.end(), highWatermark, log.epochs());
    }

    /** The effects of this event and of those that follow from it. */
    List<Effect> step(long nowMs, ReplicaEvent event) {
        MonoTime now = new MonoTime(nowMs);
        List<Effect> all = new ArrayList<>();
        for (Effect effect : replica.step(now, event).list()) {
            all.add(effect);
            effects.add(effect);
            run(now, effect, all);
        }
        if (writesAtOnce && replica.stagedEnd() > replica.logEnd()) {
            all.addAll(step(nowMs, new ReplicaEvent.Written(replica.stagedEnd())));
        }
        Check.that(
                replica.logStart() <= replica.highWatermark() && replica.highWatermark() <= replica.logEnd(),
                "log start <= high watermark <= end (R1.4)");
        return all;
    }

    private void run(MonoTime now, Effect effect, List<Effect> all) {
        if (effect instanceof Effect.Stage stage) {
            long offset = stage.baseOffset();
            for (String content : contents.remove(stage.token())) {
                log.append(new ModelLog.Batch(offset, offset, stage.epoch(), content));
                offset++;
            }
        } else if (effect instanceof Effect.StageFetched fetched) {
            atHand.subList(fetched.from(), fetched.to()).forEach(log::append);
        } else if (effect instanceof Effect.PersistEpochs persist) {
            log.epochs(persist.epochs());
        } else if (effect instanceof Effect.Truncate truncate) {
            log.truncate(truncate.offset());
            all.addAll(step(now.ms(), new ReplicaEvent.LogTruncated(log.start(), log.end(), log.epochs())));
        } else if (effect instanceof Effect.TruncateFully truncate) {
            log.truncateFully(truncate.offset());
            all.addAll(step(now.ms(), new ReplicaEvent.LogTruncated(log.start(), log.end(), log.epochs())));
        } else if (effect instanceof Effect.RaiseLogStart raise) {
            log.start(raise.logStart());
        } else if (effect instanceof Effect.ProduceAnswered answer) {
            Check.that(answers.put(answer.token(), answer) == null, "a produce is answered once");
        } else if (effect instanceof Effect.SendAlter alter) {
            alters.add(alter);
        } else if (effect instanceof Effect.ReadAllowed read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.ReadDiverges read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.ReadRefused read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.ReadElsewhere read) {
            reads.put(read.token(), read);
        } else if (effect instanceof Effect.OffsetFound found) {
            reads.put(found.token(), found);
        } else if (effect instanceof Effect.EpochFound found) {
            reads.put(found.token(), found);
        } else if (effect instanceof Effect.RecordsDeleted deleted) {
            Check.that(deletions.put(deleted.token(), deleted) == null, "a deletion is answered once");
        }
    }

    void produce(long nowMs, long token, int acks, long deadlineMs, List<String> values) {
        contents.put(token, values);
        step(
                nowMs,
                new ReplicaEvent.ProduceRequested(
                        token, (short) acks, deadlineMs, values.size(), ProducerVerdict.FRESH));
        contents.remove(token);
    }

    void receive(long nowMs, World.Answer answer) {
        atHand = answer.batches();
        step(nowMs, answer.event());
        atHand = List.of();
    }

    /** Error of the answer to that produce, or null while it waits. */
    ReplicaError answer(long token) {
        return answers.containsKey(token) ? answers.get(token).error() : null;
    }

    boolean has(Class<? extends Effect> kind) {
        return effects.stream().anyMatch(kind::isInstance);
    }

    /** The AlterPartition that left the broker last and has not been taken yet; null if none. */
    Effect.SendAlter takeAlter() {
        return alters.pollLast();
    }

    long end() {
        return replica.logEnd();
    }

    long mark() {
        return replica.highWatermark();
    }
}
