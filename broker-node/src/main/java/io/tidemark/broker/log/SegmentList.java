package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The segments of one log in order of offset, and the files behind them. Never empty once a log is open. */
final class SegmentList {
    private final Disk disk;
    private final Path directory;
    private final NavigableMap<Long, Segment> byBase = new TreeMap<>();
    /** Whether the names of the directory itself and of its first segment may not be durable yet. */
    private volatile boolean directoryIsNews = true;

    SegmentList(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** The segments found in the directory. */
    static SegmentList load(Disk disk, Path directory) throws IOException {
        SegmentList segments = new SegmentList(disk, directory);
        for (String name : disk.list(directory)) {
            long base = Segment.baseOf(name);
            if (base >= 0) {
                int size = Math.toIntExact(disk.size(directory.resolve(name)));
                segments.byBase.put(base, new Segment(disk, directory, base, size));
            }
        }
        return segments;
    }

    boolean isEmpty() {
        return byBase.isEmpty();
    }

    Collection<Segment> all() {
        return byBase.values();
    }

    Collection<Segment> newestFirst() {
        return byBase.descendingMap().values();
    }

    Segment first() {
        return byBase.firstEntry().getValue();
    }

    Segment active() {
        return byBase.lastEntry().getValue();
    }

    /** The segment that holds or would hold {@code offset}; the first one if the offset lies below it. */
    Segment holding(long offset) {
        var entry = byBase.floorEntry(offset);
        return entry == null ? first() : entry.getValue();
    }

    /** The segments from the one that holds {@code offset} on. */
    Collection<Segment> from(long offset) {
        return byBase.tailMap(holding(offset).base(), true).values();
    }

    /** Where {@code segment} ends, given the end of the log. */
    long endOf(Segment segment, long logEnd) {
        Long next = byBase.higherKey(segment.base());
        return next == null ? logEnd : next;
    }

    /** How many bytes lie between {@code position} of this segment and the end of the log. */
    long bytesBehind(Segment segment, int position) {
        long bytes = -position;
        for (Segment later : byBase.tailMap(segment.base(), true).values()) {
            bytes += later.size;
        }
        return bytes;
    }

    /** Adds an empty segment; the name is durable after the next sync of the directory. */
    Segment create(long base) throws IOException {
        if (directoryIsNews && !byBase.isEmpty()) {
            // Else the loss of power might take the first segment and leave this one, as if the log began here.
            syncDirectory();
        }
        Segment segment = Segment.create(disk, directory, base);
        byBase.put(base, segment);
        return segment;
    }

    /** Deletes the segments that start at or above {@code base}, newest first so that no gap can be left. */
    void deleteFrom(long base) throws IOException {
        while (!byBase.isEmpty() && byBase.lastKey() >= base) {
            remove(active());
        }
        syncDirectory();
    }

    void deleteFirst() throws IOException {
        remove(first());
    }

    void syncDirectory() throws IOException {
        disk.syncDirectory(directory);
        if (directoryIsNews && directory.getParent() != null) {
            disk.syncDirectory(directory.getParent());
        }
        directoryIsNews = false;
    }

    void close() throws IOException {
        for (Segment segment : byBase.values()) {
            segment.release();
        }
        byBase.clear();
    }

    private void remove(Segment segment) throws IOException {
        disk.delete(segment.path());
        byBase.remove(segment.base());
        segment.release();
    }
}
