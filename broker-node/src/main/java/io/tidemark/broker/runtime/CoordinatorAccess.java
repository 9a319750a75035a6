package io.tidemark.broker.runtime;

import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.replica.ReplicaError;

/**
 * What a coordinator does with the partition it lives on: appends, reads beyond the mark, and hears of the mark, all only in
 * the leader epoch it was loaded in. The loop's.
 */
public final class CoordinatorAccess {
    private static final short ACKS_WRITTEN = 1;

    private final PartitionHost host;
    private final WorkOrder work;
    private final ClientWrites writes;
    private final PartitionReads reads;
    private final MarkListeners markListeners = new MarkListeners();

    CoordinatorAccess(PartitionHost host, WorkOrder work, ClientWrites writes, PartitionReads reads) {
        this.host = host;
        this.work = work;
        this.writes = writes;
        this.reads = reads;
    }

    private boolean leadsIn(int leaderEpoch) {
        return host.replica() != null && host.replica().leads() && host.state().leaderEpoch() == leaderEpoch;
    }

    /**
     * One batch: only while this broker leads in that epoch, not below the min ISR (as with acks=all, R5.3), and answered as
     * soon as it is written; the mark is the coordinator's to watch.
     */
    public void append(ClientBatch batch, int leaderEpoch) {
        work.add(
                () -> {
                    if (!leadsIn(leaderEpoch)) {
                        ClientWrites.refuse(batch, ReplicaError.NOT_LEADER_OR_FOLLOWER);
                    } else if (host.state().underMinIsr()) {
                        ClientWrites.refuse(batch, ReplicaError.NOT_ENOUGH_REPLICAS);
                    } else {
                        writes.append(batch, ACKS_WRITTEN, Long.MAX_VALUE);
                    }
                },
                () -> ClientWrites.refuse(batch, ReplicaError.KAFKA_STORAGE_ERROR));
    }

    /**
     * Reads up to the end of the log, beyond the mark, while this broker leads in that epoch: to load state from. An offset
     * below the log's start counts as that. Any other epoch is refused with NOT_LEADER_OR_FOLLOWER.
     */
    public void read(int leaderEpoch, long offset, int maxBytes, ReadSink sink) {
        work.add(
                () -> {
                    if (leadsIn(leaderEpoch)) {
                        Replica replica = host.replica();
                        long mark = replica.highWatermark();
                        reads.perform(
                                new ReadRequest(Math.max(offset, replica.logStart()), maxBytes, true, sink),
                                new Effect.ReadAllowed(
                                        -1, host.log().logEndOffset(), mark, mark, replica.logStart(), false));
                    } else {
                        sink.refused(ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1);
                    }
                },
                () -> sink.refused(ReplicaError.KAFKA_STORAGE_ERROR, -1, -1));
    }

    /** The listener hears of the mark from now to the end of that epoch; it is retired at once if it is over. */
    public void addMarkListener(int leaderEpoch, MarkListener listener) {
        work.add(
                () -> {
                    if (leadsIn(leaderEpoch)) {
                        markListeners.add(leaderEpoch, listener);
                        listener.reached(host.replica().highWatermark());
                    } else {
                        listener.retired();
                    }
                },
                listener::retired);
    }

    /** It hears nothing more, not even that it is retired. */
    public void removeMarkListener(MarkListener listener) {
        work.add(() -> markListeners.remove(listener));
    }

    /** Before anything of a new state is carried out: a mark of a later epoch is not for the listeners of this one. */
    void retireMarkListeners() {
        Replica replica = host.replica();
        markListeners.retireAllBut(
                !host.failed() && replica != null && replica.leads()
                        ? replica.state().leaderEpoch()
                        : -1);
    }

    void markMoved(long highWatermark) {
        markListeners.tell(highWatermark);
    }
}
