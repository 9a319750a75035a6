package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.RawEntry;

/**
 * One entry as it is shown.
 *
 * @param entry null for an entry of Ratis' own, and for one that cannot be decoded
 * @param effect whether it took effect (chain rule)
 * @param committed whether it is known to be
 */
record EntryView(RawEntry raw, MetadataEntry entry, Effect effect, boolean committed) {
    long index() {
        return raw.index();
    }

    /** Whether an entry took effect. */
    enum Effect {
        EFFECTIVE,
        VOID,
        /** What it should be based on is not known. */
        UNKNOWN
    }
}
