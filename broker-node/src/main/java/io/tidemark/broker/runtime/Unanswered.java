package io.tidemark.broker.runtime;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients wait for on one partition, by the token that the replica knows it by: appends and deletions of records. Each
 * is answered once, and a batch that never came to the log is released then. The loop's.
 */
final class Unanswered {
    /** A batch on its way: its validated bytes, null if it is not to be appended, and whether the log refers to them. */
    private static final class Producing {
        private final ClientBatch batch;
        private final ByteBuffer bytes;
        private boolean staged;

        private Producing(ClientBatch batch, ByteBuffer bytes) {
            this.batch = batch;
            this.bytes = bytes;
        }
    }

    private final Map<Long, Producing> produces = new HashMap<>();
    private final Map<Long, DeletionSink> deletions = new HashMap<>();

    int produces() {
        return produces.size();
    }

    int deletions() {
        return deletions.size();
    }

    void add(long token, ClientBatch batch, ByteBuffer bytes) {
        produces.put(token, new Producing(batch, bytes));
    }

    void add(long token, DeletionSink sink) {
        deletions.put(token, sink);
    }

    BatchHeader header(long token) {
        return produces.get(token).batch.header();
    }

    ByteBuffer bytes(long token) {
        return produces.get(token).bytes;
    }

    /** The log refers to the bytes from now on; what is returned is to be called when it does not any more. */
    Runnable staged(long token) {
        Producing producing = produces.get(token);
        producing.staged = true;
        return producing.batch::release;
    }

    void answer(Effect.ProduceAnswered answer) {
        answer(
                produces.remove(answer.token()),
                answer.error(),
                answer.baseOffset(),
                answer.logStart(),
                answer.message());
    }

    void answer(Effect.RecordsDeleted deleted) {
        deletions.remove(deleted.token()).answered(deleted.error(), deleted.lowWatermark());
    }

    void refuseAll(ReplicaError error) {
        List<Producing> waiting = new ArrayList<>(produces.values());
        produces.clear();
        waiting.forEach(producing -> answer(producing, error, -1, -1, null));
        List<DeletionSink> deleting = new ArrayList<>(deletions.values());
        deletions.clear();
        deleting.forEach(sink -> sink.answered(error, -1));
    }

    private static void answer(
            Producing producing, ReplicaError error, long baseOffset, long logStart, String message) {
        producing.batch.answered(error, baseOffset, logStart, message, null);
        if (!producing.staged) {
            producing.batch.release();
        }
    }
}
