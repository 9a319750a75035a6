package io.tidemark.quorum.core;

import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * How much of a change too large for one entry goes into one (R7.98). Bounded by size as well as by number, since a
 * change that carries reports of logs is as long as their histories are.
 *
 * @param changes partition changes, 1 or more
 * @param bytes of them as estimated here, 1 or more. An entry may be somewhat longer than twice that, for which the log has
 *     room: no record takes twice what is estimated
 */
record EntryBound(int changes, int bytes) {
    static final EntryBound USUAL = new EntryBound(20_000, 2 * 1024 * 1024);

    /** As many from the front as one entry takes, at least one if there is any. */
    List<PartitionChanged> first(List<PartitionChanged> all) {
        Part part = part();
        for (PartitionChanged change : all) {
            if (!part.add(change)) {
                break;
            }
        }
        return part.changes();
    }

    /** An entry to be filled. */
    Part part() {
        return new Part(this);
    }

    /** An entry that has those records already. */
    EntryBound beside(List<ConfigSet> records) {
        long left = bytes;
        for (ConfigSet set : records) {
            left -= 24 + set.resource().name().length() + set.key().length();
            left -= set.value() == null ? 0 : set.value().length();
        }
        return new EntryBound(changes, (int) Math.max(1, left));
    }

    /** The partition changes of one entry. Lives for one decision. */
    static final class Part {
        private final EntryBound bound;
        private final List<PartitionChanged> changes = new ArrayList<>();
        private long bytes;

        private Part(EntryBound bound) {
            this.bound = bound;
        }

        /** False, and nothing is added, if the entry is full. The first one always has room. */
        boolean add(PartitionChanged change) {
            long after = bytes + size(change);
            if (!changes.isEmpty() && (changes.size() == bound.changes() || after > bound.bytes())) {
                return false;
            }
            changes.add(change);
            bytes = after;
            return true;
        }

        List<PartitionChanged> changes() {
            return changes;
        }
    }

    /** About what it takes encoded, bytes: more than half of it, and cheaper to know. */
    static int size(PartitionChanged change) {
        int ids = count(change.isr())
                + count(change.elr())
                + count(change.lastKnownElr())
                + count(change.replicas())
                + count(change.adding())
                + count(change.removing());
        int size = 64 + 3 * ids;
        if (change.unproven() != null) {
            for (SeatReport report : change.unproven()) {
                size += 48 + 12 * report.epochs().entries().size();
            }
        }
        return size;
    }

    private static int count(Collection<Integer> ids) {
        return ids == null ? 0 : ids.size();
    }
}
