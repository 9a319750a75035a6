package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.QuorumQuery.IndexedEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The latest entries in memory, bounded by count and bytes. Not thread-safe. */
final class RecordRing {
    private final int maxEntries;
    private final long maxBytes;
    private final NavigableMap<Long, Slot> slots = new TreeMap<>();
    private long bytes;

    /** Entries from this index on are all here. */
    private long start;

    private long last;

    /**
     * @param appliedMs when it was applied, on the monotonic clock
     * @param urgent must not wait for others to be sent with
     */
    record Slot(byte[] bytes, long appliedMs, boolean urgent) {}

    RecordRing(int maxEntries, long maxBytes) {
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** Empties the ring: everything up to that index is elsewhere. */
    void reset(long appliedIndex) {
        slots.clear();
        bytes = 0;
        start = appliedIndex + 1;
        last = appliedIndex;
    }

    void add(long index, Slot slot) {
        slots.put(index, slot);
        bytes += slot.bytes().length;
        last = index;
        while (slots.size() > maxEntries || bytes > maxBytes && slots.size() > 1) {
            Map.Entry<Long, Slot> oldest = slots.pollFirstEntry();
            bytes -= oldest.getValue().bytes().length;
            start = oldest.getKey() + 1;
        }
    }

    /** Index of the last entry, here or elsewhere; -1 if there is none. */
    long last() {
        return last;
    }

    /** Whether every entry from that index on is here. */
    boolean holdsFrom(long index) {
        return index >= start;
    }

    /**
     * When the entries from that index on should be sent: now if one of them is urgent or has waited for
     * {@code lingerMs}, else when the first has; {@link Long#MAX_VALUE} if there are none.
     */
    long dueMs(long from, long lingerMs, long nowMs) {
        Map<Long, Slot> unseen = slots.tailMap(from, true);
        if (unseen.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long due = unseen.values().iterator().next().appliedMs() + lingerMs;
        // Only what was applied within the linger is looked through for urgent ones.
        return due <= nowMs || unseen.values().stream().anyMatch(Slot::urgent) ? nowMs : due;
    }

    /** Entries from that index on, as many as fit, at least one if there is one. */
    List<IndexedEntry> from(long index, int maxAnswerBytes) {
        List<IndexedEntry> entries = new ArrayList<>();
        long size = 0;
        for (Map.Entry<Long, Slot> slot : slots.tailMap(index, true).entrySet()) {
            size += slot.getValue().bytes().length;
            if (!entries.isEmpty() && size > maxAnswerBytes) {
                break;
            }
            entries.add(new IndexedEntry(slot.getKey(), slot.getValue().bytes()));
        }
        return entries;
    }
}
