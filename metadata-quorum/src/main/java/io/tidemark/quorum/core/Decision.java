package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.Set;

/**
 * What one command leads to: together the body of one entry of the metadata log.
 *
 * @param records in the order in which they are folded; empty for a refusal that is final, and for a command that found nothing to do
 * @param isolated partitions that were taken from a leader that reaches nobody ({@link LeadersMoved}); no part of the entry
 * @param electionsOwed whether somebody may lead more than this entry had room for ({@link ElectionRemainder}); no part of
 *     the entry
 */
public record Decision(
        List<MetadataRecord> records,
        QuorumReply reply,
        MetadataEntry.Cause cause,
        Set<PartitionId> isolated,
        boolean electionsOwed) {
    public Decision {
        records = List.copyOf(records);
        isolated = Set.copyOf(isolated);
    }

    static Decision of(List<? extends MetadataRecord> records, QuorumReply reply, MetadataEntry.Cause cause) {
        return new Decision(List.copyOf(records), reply, cause, Set.of(), false);
    }

    static Decision nothing(QuorumReply reply, MetadataEntry.Cause cause) {
        return of(List.of(), reply, cause);
    }

    /**
     * Work too large for one entry: these changes now, and what makes the command complete when it is given again (B4,
     * R7.98).
     *
     * @param whole changes that are to be made in all
     */
    static Decision firstPart(List<? extends MetadataRecord> changes, int whole, MetadataEntry.Cause cause) {
        String message = changes.size() + " of " + whole + " partition changes are made";
        return of(changes, new QuorumReply.Refused(ErrorCode.UNFINISHED, message), cause);
    }

    static Decision refused(ErrorCode error, String message, MetadataEntry.Cause cause) {
        return nothing(new QuorumReply.Refused(error, message), cause);
    }

    Decision owingElections(boolean owed) {
        return new Decision(records, reply, cause, isolated, owed);
    }

    Decision isolating(Set<PartitionId> partitions) {
        return new Decision(records, reply, cause, partitions, electionsOwed);
    }

    Decision because(MetadataEntry.Cause other) {
        return new Decision(records, reply, other, isolated, electionsOwed);
    }
}
