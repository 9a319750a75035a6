package io.tidemark.broker.replica;

import io.tidemark.model.metadata.QuorumCommand;
import java.util.List;

/** One AlterPartition in flight: what is asked, and what became of its attempts. */
final class Proposal {
    /** Unique per replica; an answer for another number is ignored (R2.30). */
    final long number;

    final QuorumCommand.IsrProposal request;
    /** When it was made, monotonic milliseconds. */
    final long madeMs;
    /** An attempt ended without an answer and may still take effect (B9). */
    private boolean unknownAttempt;
    /** Send again at this time, monotonic milliseconds; {@link Long#MAX_VALUE} while an attempt is out or none is due. */
    private long resendAtMs = Long.MAX_VALUE;
    /** Accepted: takes effect once the image has reached this index (B3); -1 while not accepted. */
    private long acceptedIndex = -1;

    private int acceptedPartitionEpoch = -1;
    private List<Integer> acceptedIsr = List.of();

    private Proposal(long number, QuorumCommand.IsrProposal request, long madeMs) {
        this.number = number;
        this.request = request;
        this.madeMs = madeMs;
    }

    static Proposal of(long number, QuorumCommand.IsrProposal request, long nowMs) {
        return new Proposal(number, request, nowMs);
    }

    /** The ISR that a request asks for. */
    static List<Integer> members(QuorumCommand.IsrProposal request) {
        return request.isr().stream().map(QuorumCommand.IsrMember::brokerId).toList();
    }

    boolean everyAttemptAnswered() {
        return !unknownAttempt;
    }

    void outcomeUnknown(long resendAt) {
        unknownAttempt = true;
        resendAtMs = resendAt;
    }

    void resendAt(long resendAt) {
        resendAtMs = resendAt;
    }

    void sent() {
        resendAtMs = Long.MAX_VALUE;
    }

    long resendAtMs() {
        return resendAtMs;
    }

    void accepted(long index, int partitionEpoch, List<Integer> isr) {
        acceptedIndex = index;
        acceptedPartitionEpoch = partitionEpoch;
        acceptedIsr = isr;
    }

    boolean accepted() {
        return acceptedIndex >= 0;
    }

    boolean acceptedBy(long appliedIndex) {
        return acceptedIndex >= 0 && acceptedIndex <= appliedIndex;
    }

    int acceptedPartitionEpoch() {
        return acceptedPartitionEpoch;
    }

    List<Integer> acceptedIsr() {
        return acceptedIsr;
    }
}
