package io.tidemark.broker.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The index of one recent segment in memory: entries ascending in offset and position, about one per few KiB. */
final class MemoryIndex {
    private long[] offsets = new long[16];
    private int[] positions = new int[16];
    private long[] timestamps = new long[16];
    private int size;
    /** Position of the newest entry that was handed out for storing, -1 if none. */
    private int storedPosition = -1;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    IndexEntry get(int i) {
        return new IndexEntry(offsets[i], positions[i], timestamps[i]);
    }

    IndexEntry last() {
        return get(size - 1);
    }

    /** Adds entries that are stored already. */
    void addStored(List<IndexEntry> entries) {
        for (IndexEntry entry : entries) {
            add(entry.offset(), entry.position(), entry.maxTimestampBefore());
            storedPosition = entry.position();
        }
    }

    /** Adds an entry if it is the first one or at least {@code spacing} bytes behind the last one. */
    void offer(long offset, int position, long maxTimestampBefore, int spacing) {
        if (size == 0 || position - positions[size - 1] >= Math.max(1, spacing)) {
            add(offset, position, maxTimestampBefore);
        }
    }

    private void add(long offset, int position, long maxTimestampBefore) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * size);
            positions = Arrays.copyOf(positions, 2 * size);
            timestamps = Arrays.copyOf(timestamps, 2 * size);
        }
        offsets[size] = offset;
        positions[size] = position;
        timestamps[size] = maxTimestampBefore;
        size++;
    }

    /** Number of the last entry at or below {@code offset}, -1 if none. */
    int floorOffset(long offset) {
        int found = Arrays.binarySearch(offsets, 0, size, offset);
        return found >= 0 ? found : -found - 2;
    }

    /** Number of the last entry at or below {@code position}, -1 if none. */
    int floorPosition(int position) {
        int found = Arrays.binarySearch(positions, 0, size, position);
        return found >= 0 ? found : -found - 2;
    }

    /** The entries below {@code limit} not handed out before, thinned to one per {@code spacing} bytes. */
    List<IndexEntry> takeUnstored(int limit, int spacing) {
        List<IndexEntry> taken = new ArrayList<>();
        for (int i = floorPosition(storedPosition) + 1; i < size && positions[i] < limit; i++) {
            if (storedPosition < 0 || positions[i] - storedPosition >= spacing) {
                taken.add(get(i));
                storedPosition = positions[i];
            }
        }
        return taken;
    }

    /** Drops entries at or behind {@code position}. */
    void truncate(int position) {
        size = floorPosition(position - 1) + 1;
        if (storedPosition >= position) {
            storedPosition = size == 0 ? -1 : positions[size - 1];
        }
    }
}
