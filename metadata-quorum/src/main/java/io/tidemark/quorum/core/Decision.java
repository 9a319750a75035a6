package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;

/**
 * What one command leads to: together the body of one entry of the metadata log.
 *
 * @param records in the order in which they are folded; empty for a refusal, and for a command that found nothing to do
 */
public record Decision(List<MetadataRecord> records, QuorumReply reply, MetadataEntry.Cause cause) {
    public Decision {
        records = List.copyOf(records);
    }

    static Decision of(List<? extends MetadataRecord> records, QuorumReply reply, MetadataEntry.Cause cause) {
        return new Decision(List.copyOf(records), reply, cause);
    }

    static Decision nothing(QuorumReply reply, MetadataEntry.Cause cause) {
        return new Decision(List.of(), reply, cause);
    }

    static Decision refused(ErrorCode error, String message, MetadataEntry.Cause cause) {
        return nothing(new QuorumReply.Refused(error, message), cause);
    }
}
