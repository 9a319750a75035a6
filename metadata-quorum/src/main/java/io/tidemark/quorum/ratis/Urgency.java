package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;

/** Which entries readers must hear of at once: those that move leadership or fence, since clients wait for them. */
final class Urgency {
    private Urgency() {}

    static boolean isUrgent(MetadataEntry entry) {
        return entry.records().stream().anyMatch(Urgency::isUrgent);
    }

    private static boolean isUrgent(MetadataRecord record) {
        return record instanceof MetadataRecord.BrokerFenced
                || record instanceof MetadataRecord.BrokerUnfenced
                || record instanceof MetadataRecord.BrokerShuttingDown
                || record instanceof MetadataRecord.PartitionChanged change && change.leader() != null;
    }
}
