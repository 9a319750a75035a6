package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One file of a log, named after its first offset. Its file is opened at first use and closed when the log and all
 * {@link FileSlice}s have let go of it; an unlinked file stays readable until then. All fields but the file and the
 * reference count belong to the log's writer.
 */
final class Segment {
    static final String SUFFIX = ".log";

    private final Disk disk;
    private final Path path;
    private final long base;
    private final AtomicInteger references = new AtomicInteger(1);
    private Disk.File file;

    /** Bytes written. */
    int size;
    /** Largest record timestamp, ms; -1 if none or, in a cold segment, unknown. */
    long maxTimestamp = -1;
    /** Largest timestamp of the first batch, ms; -1 if none. */
    long firstTimestamp = -1;
    /** Null in a cold segment. */
    MemoryIndex index;

    Segment(Disk disk, Path directory, long base, int size) {
        this.disk = disk;
        this.base = base;
        this.path = directory.resolve(fileName(base));
        this.size = size;
    }

    /** A new, empty segment in place of whatever its file held. */
    static Segment create(Disk disk, Path directory, long base) throws IOException {
        Segment segment = new Segment(disk, directory, base, 0);
        segment.index = new MemoryIndex();
        segment.file = disk.create(segment.path);
        return segment;
    }

    static String fileName(long base) {
        return String.format("%020d%s", base, SUFFIX);
    }

    /** The base offset in a segment's file name, or -1 if the name is not one. */
    static long baseOf(String fileName) {
        return fileName.matches("\\d{20}\\.log") ? Long.parseLong(fileName.substring(0, 20)) : -1;
    }

    /** The same file once more, with an index of its own: for walks that must not disturb this one. */
    Segment withIndex(List<IndexEntry> entries) {
        Segment copy = new Segment(disk, path.getParent(), base, size);
        copy.index = new MemoryIndex();
        copy.index.addStored(entries);
        return copy;
    }

    long base() {
        return base;
    }

    Path path() {
        return path;
    }

    /** The open file; the caller holds a reference. */
    synchronized Disk.File file() throws IOException {
        if (file == null) {
            file = disk.open(path);
        }
        return file;
    }

    /** False if the segment was given up already. */
    boolean retain() {
        int now = references.get();
        while (now > 0) {
            if (references.compareAndSet(now, now + 1)) {
                return true;
            }
            now = references.get();
        }
        return false;
    }

    void release() throws IOException {
        if (references.decrementAndGet() == 0) {
            synchronized (this) {
                if (file != null) {
                    file.close();
                    file = null;
                }
            }
        }
    }
}
