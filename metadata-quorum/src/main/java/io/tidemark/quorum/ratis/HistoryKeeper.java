package io.tidemark.quorum.ratis;

import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.RawEntry;
import io.tidemark.quorum.files.SegmentFile;
import io.tidemark.quorum.files.SegmentReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Keeps what Ratis purges, for the metadata log tool: every closed file of the log whose entries are all committed, and
 * every snapshot, as a hard link in the folder {@code history}. What is committed is never truncated, so a link's bytes
 * never change.
 *
 * <p>The unit of retention is a snapshot with the log up to the next one. The oldest goes first: when all of it is older
 * than the age limit, or while the folder takes more than the size limit. Nothing here is needed by the controller.
 */
final class HistoryKeeper {
    private static final String TEMPORARY = "copy.tmp";

    private final Path root;
    private final Path history;
    private final long maxAgeMs;
    private final long maxBytes;

    /**
     * @param root of the quorum's files; {@code history} where they are kept
     * @param maxAgeMs age of what is kept, milliseconds, -1 for any; {@code maxBytes} size of it, -1 for any
     */
    HistoryKeeper(Path root, Path history, long maxAgeMs, long maxBytes) {
        this.root = root;
        this.history = history;
        this.maxAgeMs = maxAgeMs;
        this.maxBytes = maxBytes;
    }

    /** Links what is finished by now. {@code applied} is the index of the last entry known to be committed. */
    synchronized void keep(long applied) throws IOException {
        Files.createDirectories(history);
        long newest = newestKept();
        for (Path group : groups()) {
            for (Path file : list(group.resolve("current"))) {
                SegmentFile segment = SegmentFile.parse(file).orElse(null);
                if (segment != null && !segment.isOpen() && segment.last() <= applied) {
                    link(file);
                }
            }
            for (Path file : list(group.resolve("sm"))) {
                KeyframeFile keyframe = KeyframeFile.parse(file).orElse(null);
                // One that was trimmed must not come back: the log behind it was trimmed, too.
                if (keyframe != null && keyframe.index() > newest && Files.exists(KeyframeFile.digestOf(file))) {
                    // The digest first: without it a snapshot is taken for unfinished.
                    link(KeyframeFile.digestOf(file));
                    link(file);
                }
            }
        }
    }

    private long newestKept() throws IOException {
        return list(history).stream()
                .flatMap(file -> KeyframeFile.parse(file).stream())
                .mapToLong(KeyframeFile::index)
                .max()
                .orElse(-1);
    }

    /**
     * As {@link #keep}, before the whole log is given up for a snapshot of somebody else's: the part of the file that is
     * still written to, too, as a copy up to {@code applied}.
     */
    synchronized void keepAll(long applied) throws IOException {
        keep(applied);
        for (Path group : groups()) {
            for (Path file : list(group.resolve("current"))) {
                SegmentFile segment = SegmentFile.parse(file).orElse(null);
                if (segment != null && segment.first() <= applied && segment.last() > applied) {
                    copy(segment, applied);
                }
            }
        }
    }

    private List<Path> groups() throws IOException {
        return list(root).stream()
                .filter(path -> Files.isDirectory(path.resolve("current")))
                .toList();
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private void link(Path file) throws IOException {
        try {
            Files.createLink(history.resolve(file.getFileName()), file);
        } catch (FileAlreadyExistsException e) {
            // Kept before.
        } catch (NoSuchFileException e) {
            // Renamed or removed meanwhile; it is met again under its new name.
        }
    }

    private void copy(SegmentFile segment, long last) throws IOException {
        long end = endOf(segment, last);
        Path target = history.resolve("log_" + segment.first() + "-" + last);
        if (end < 0 || Files.exists(target)) {
            return;
        }
        Path temporary = history.resolve(TEMPORARY);
        try (FileChannel from = FileChannel.open(segment.path(), StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            for (long at = 0; at < end; ) {
                long moved = from.transferTo(at, end - at, to);
                if (moved <= 0) {
                    throw new IOException(segment.path() + " ends before byte " + end);
                }
                at += moved;
            }
            to.write(ByteBuffer.allocate(1));
            to.force(true);
        }
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Where the entry of that index ends, -1 if it is not there. */
    private static long endOf(SegmentFile segment, long last) throws IOException {
        try (SegmentReader reader = new SegmentReader(segment, finding -> {})) {
            for (RawEntry entry = reader.next(); entry != null; entry = reader.next()) {
                if (entry.index() == last) {
                    return reader.position();
                }
            }
        }
        return -1;
    }

    /** Removes what is beyond the limits. */
    synchronized void trim(long nowMs) throws IOException {
        NavigableMap<Long, KeyframeFile> keyframes = new TreeMap<>();
        List<SegmentFile> segments = new ArrayList<>();
        Map<Path, Long> sizes = new HashMap<>();
        for (Path file : list(history)) {
            sizes.put(file, Files.size(file));
            KeyframeFile.parse(file).ifPresent(keyframe -> keyframes.put(keyframe.index(), keyframe));
            SegmentFile.parse(file).ifPresent(segments::add);
        }
        long total = sizes.values().stream().mapToLong(Long::longValue).sum();
        while (!keyframes.isEmpty() || !segments.isEmpty()) {
            long next = endOfOldest(keyframes, segments);
            boolean tooMuch = maxBytes >= 0 && total > maxBytes;
            if (!tooMuch && !isOld(keyframes.get(next), nowMs)) {
                return;
            }
            for (Path file : takeBefore(next, keyframes, segments)) {
                Files.deleteIfExists(file);
                total -= sizes.getOrDefault(file, 0L);
            }
        }
    }

    /** Index of the snapshot up to which the oldest unit goes; {@link Long#MAX_VALUE} if no snapshot ends it. */
    private static long endOfOldest(NavigableMap<Long, KeyframeFile> keyframes, List<SegmentFile> segments) {
        if (keyframes.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long first = keyframes.firstKey();
        // What is before the first snapshot began with the log itself.
        if (segments.stream().anyMatch(segment -> segment.last() <= first)) {
            return first;
        }
        Long second = keyframes.higherKey(first);
        return second == null ? Long.MAX_VALUE : second;
    }

    private boolean isOld(KeyframeFile end, long nowMs) throws IOException {
        return maxAgeMs >= 0
                && end != null
                && nowMs - Files.getLastModifiedTime(end.path()).toMillis() > maxAgeMs;
    }

    /** Takes what is before that index out of both, and names its files. */
    private static List<Path> takeBefore(
            long end, NavigableMap<Long, KeyframeFile> keyframes, List<SegmentFile> segments) {
        List<Path> files = new ArrayList<>();
        NavigableMap<Long, KeyframeFile> before = keyframes.headMap(end, false);
        for (KeyframeFile keyframe : before.values()) {
            files.add(keyframe.path());
            files.add(KeyframeFile.digestOf(keyframe.path()));
        }
        before.clear();
        segments.removeIf(segment -> segment.last() <= end && files.add(segment.path()));
        return files;
    }
}
