package io.tidemark.broker.runtime;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.ProducerVerdict;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import java.nio.ByteBuffer;

/**
 * What clients want changed in the log of one partition: batches appended, records deleted. Each is checked here and becomes
 * an event of the replica; what waits for an answer is in {@link Unanswered}. The loop's.
 */
final class ClientWrites {
    private final PartitionHost host;
    private final PartitionLoop loop;
    private final WorkOrder work;
    private final Unanswered unanswered;

    ClientWrites(PartitionHost host, WorkOrder work, Unanswered unanswered) {
        this.host = host;
        this.loop = host.loop();
        this.work = work;
        this.unanswered = unanswered;
    }

    void produce(ClientBatch batch, short acks, long deadlineMs) {
        work.add(new Work() {
            @Override
            void run() {
                if (host.replica().leads()) {
                    append(batch, acks, deadlineMs);
                } else {
                    ClientWrites.refuse(batch, ReplicaError.NOT_LEADER_OR_FOLLOWER);
                }
            }

            @Override
            void refuse() {
                ClientWrites.refuse(batch, ReplicaError.KAFKA_STORAGE_ERROR);
            }
        });
    }

    /** While this broker leads: R5.20-R5.32, then the replica decides. */
    void append(ClientBatch batch, short acks, long deadlineMs) {
        BatchHeader header = batch.header();
        ProducerVerdict verdict = SequenceCheck.of(host.log().producers(), header);
        ByteBuffer bytes = null;
        if (verdict == ProducerVerdict.FRESH) {
            try {
                bytes = batch.validated(
                        host.settings(),
                        host.replica().stagedEnd(),
                        host.state().leaderEpoch());
            } catch (ClientBatch.RefusedException e) {
                batch.answered(ReplicaError.OTHER, -1, -1, e.getMessage(), e);
                batch.release();
                return;
            }
        }
        long token = loop.nextToken();
        unanswered.add(token, batch, bytes);
        host.step(new ReplicaEvent.ProduceRequested(token, acks, deadlineMs, header.lastOffsetDelta() + 1, verdict));
    }

    static void refuse(ClientBatch batch, ReplicaError error) {
        batch.answered(error, -1, -1, null, null);
        batch.release();
    }

    void deleteRecords(long offset, int timeoutMs, DeletionSink sink) {
        work.add(
                () -> {
                    if (!host.settings().deleting()) {
                        sink.answered(ReplicaError.POLICY_VIOLATION, -1);
                        return;
                    }
                    long token = loop.nextToken();
                    unanswered.add(token, sink);
                    host.step(new ReplicaEvent.RecordsGivenUp(
                            token, offset, loop.now().ms() + timeoutMs));
                },
                () -> sink.answered(ReplicaError.KAFKA_STORAGE_ERROR, -1));
    }
}
