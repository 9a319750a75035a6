package io.tidemark.quorum.ratis;

import io.tidemark.model.WallTime;
import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.RefusalText;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.apache.ratis.statemachine.TransactionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the acting controller makes of commands: entries that hold what was decided on the pending image. */
final class Proposals {
    /** Bound of one encoded entry, bytes; half of what the log takes. */
    static final int MAX_ENTRY_BYTES = 4 * 1024 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(Proposals.class);

    private final int nodeId;
    private final DecisionMaker decisions;
    private final NodeClock clock;
    private final RandomGenerator random;
    private final LongSupplier term;
    private final Supplier<ClusterImage> applied;
    private final PendingImage pending = new PendingImage();

    Proposals(
            int nodeId,
            DecisionMaker decisions,
            NodeClock clock,
            RandomGenerator random,
            LongSupplier term,
            Supplier<ClusterImage> applied) {
        this.nodeId = nodeId;
        this.decisions = decisions;
        this.clock = clock;
        this.random = random;
        this.term = term;
        this.applied = applied;
    }

    PendingImage pending() {
        return pending;
    }

    /** Makes the command the transaction's context, or refuses it there if no state is needed for that. Any thread. */
    void parse(byte[] request, TransactionContext transaction) {
        QuorumReply refusal;
        try {
            QuorumCommand command = CommandCodec.decodeCommand(request);
            refusal = decisions.refuse(command);
            transaction.setStateMachineContext(command);
        } catch (RuntimeException e) {
            refusal = new QuorumReply.Refused(ErrorCode.INVALID_REQUEST, String.valueOf(e.getMessage()));
        }
        if (refusal != null) {
            // The only way to answer without an entry; the caller finds the reply in the message.
            IOException carrier = new IOException(RefusalText.of(refusal));
            carrier.setStackTrace(new StackTraceElement[0]);
            transaction.setException(carrier);
        }
    }

    /**
     * Decides. Never throws: an exception here would end the leadership or leak a permit of Ratis. Serial, in the order
     * of the log, under its lock.
     */
    TransactionContext decide(TransactionContext transaction) {
        QuorumCommand command = (QuorumCommand) transaction.getStateMachineContext();
        long basedOn = -1;
        MetadataEntry entry;
        byte[] bytes;
        try {
            long now = clock.wall().ms();
            ClusterImage image = pending.forTerm(term.getAsLong(), applied);
            basedOn = image.tip();
            entry = decide(image, command, now);
            bytes = RecordCodec.encode(entry);
            if (bytes.length > MAX_ENTRY_BYTES) {
                String message = "the request leads to " + bytes.length + " bytes of records, more than one entry's "
                        + MAX_ENTRY_BYTES + "; ask for less at once";
                LOG.warn("{} refused: {}", entry.cause().kind(), message);
                entry = refusal(basedOn, entry.timestampMs(), entry.cause(), ErrorCode.INVALID_REQUEST, message);
                bytes = RecordCodec.encode(entry);
            }
        } catch (Throwable e) {
            LOG.error("a decision failed: {}", command, e);
            MetadataEntry.Cause cause = new MetadataEntry.Cause(
                    command.getClass().getSimpleName(), -1, -1, "", "the decision failed", nodeId);
            entry = refusal(basedOn, 0, cause, ErrorCode.UNKNOWN_SERVER_ERROR, "the decision failed: " + e);
            bytes = RecordCodec.encode(entry);
        }
        transaction.setStateMachineContext(bytes);
        MetadataEntry decided = entry;
        return new DecidedTransaction(transaction, bytes, index -> {
            try {
                pending.appended(index, decided);
            } catch (RuntimeException e) {
                // The applying thread will meet the same and stop the node.
                LOG.error("an entry cannot be folded into the pending image", e);
            }
        });
    }

    private MetadataEntry decide(ClusterImage image, QuorumCommand command, long nowMs) {
        DecisionMaker.Decided decided = decisions.decide(
                term.getAsLong(), image, applied.get(), command, new WallTime(nowMs), clock.mono(), random.nextLong());
        long timestampMs = Math.max(image.timestampMs(), nowMs);
        return new MetadataEntry(
                image.tip(), timestampMs, decided.cause().by(nodeId), decided.records(), decided.reply());
    }

    private static MetadataEntry refusal(
            long basedOn, long timestampMs, MetadataEntry.Cause cause, ErrorCode error, String message) {
        return new MetadataEntry(basedOn, timestampMs, cause, List.of(), new QuorumReply.Refused(error, message));
    }
}
