package io.tidemark.broker.runtime;

import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Sends the ISR changes of all partitions to the quorum: those that are ready together in one command, or in several if
 * they are very many; many commands under way at a time, one per partition (B9).
 */
public final class AlterPartitionSender {
    /** A command of more would lead to an entry that is too large, and would be refused whatever its rows are worth. */
    static final int PROPOSALS_PER_COMMAND = 5_000;

    private record Pending(Consumer<ReplicaEvent> answered, long proposal, QuorumCommand.IsrProposal request) {}

    private final int brokerId;
    private final LongSupplier brokerEpoch;
    private final QuorumPort quorum;
    /** Where the command is put together: off the loops, so that those of one moment meet. */
    private final Consumer<Runnable> gather;

    private final ConcurrentLinkedQueue<Pending> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();

    public AlterPartitionSender(int brokerId, LongSupplier brokerEpoch, QuorumPort quorum, Consumer<Runnable> gather) {
        this.brokerId = brokerId;
        this.brokerEpoch = brokerEpoch;
        this.quorum = quorum;
        this.gather = gather;
    }

    /** @param answered takes the answer, on any thread */
    void send(Consumer<ReplicaEvent> answered, long proposal, QuorumCommand.IsrProposal request) {
        waiting.add(new Pending(answered, proposal, request));
        if (scheduled.compareAndSet(false, true)) {
            gather.accept(this::submit);
        }
    }

    private void submit() {
        scheduled.set(false);
        List<Pending> batch = new ArrayList<>();
        for (Pending next = waiting.poll(); next != null; next = waiting.poll()) {
            batch.add(next);
            if (batch.size() == PROPOSALS_PER_COMMAND) {
                submit(batch);
                batch = new ArrayList<>();
            }
        }
        if (!batch.isEmpty()) {
            submit(batch);
        }
    }

    private void submit(List<Pending> batch) {
        List<QuorumCommand.IsrProposal> proposals = new ArrayList<>(batch.size());
        batch.forEach(pending -> proposals.add(pending.request()));
        quorum.attempt(new QuorumCommand.AlterPartition(brokerId, brokerEpoch.getAsLong(), proposals))
                .whenComplete((answer, failure) -> {
                    for (int i = 0; i < batch.size(); i++) {
                        Pending pending = batch.get(i);
                        ReplicaEvent event = failure != null
                                ? new ReplicaEvent.AlterUnknown(pending.proposal())
                                : verdict(answer, i, pending.proposal());
                        pending.answered().accept(event);
                    }
                });
    }

    private static ReplicaEvent verdict(QuorumReply.Answer answer, int row, long proposal) {
        if (answer.reply() instanceof QuorumReply.AlteredPartitions altered
                && row < altered.results().size()) {
            QuorumReply.AlteredPartitions.Result result = altered.results().get(row);
            return new ReplicaEvent.AlterAnswered(
                    proposal,
                    result.error(),
                    answer.index(),
                    result.leaderEpoch(),
                    result.partitionEpoch(),
                    result.isr());
        }
        ErrorCode error = answer.error() == ErrorCode.NONE ? ErrorCode.UNKNOWN_SERVER_ERROR : answer.error();
        return new ReplicaEvent.AlterAnswered(proposal, error, answer.index(), -1, -1, List.of());
    }
}
