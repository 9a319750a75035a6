package io.tidemark.quorum.files;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A controller's directory, of a running node or not. A running node renames and removes files: a file that has gone is
 * looked for again under another name. Each finding is passed on once.
 */
public final class DirectorySource implements MetadataSource {
    /** A file that has gone again and again is not one that was renamed. */
    private static final int LOOKS = 5;

    private final Path directory;
    private final Consumer<Finding> findings;
    private final Set<Finding> told = new LinkedHashSet<>();
    private NodeFiles files;
    private long committed = -1;

    /** Throws IOException if that is no controller's directory. */
    public DirectorySource(Path directory, Consumer<Finding> findings) throws IOException {
        this.directory = directory;
        this.findings = findings;
        look();
    }

    private void look() throws IOException {
        files = NodeFiles.scan(directory);
        files.findings().forEach(this::tell);
    }

    private void tell(Finding finding) {
        if (told.add(finding)) {
            findings.accept(finding);
        }
    }

    @Override
    public String name() {
        return directory.toString();
    }

    /** Where only the folder of the log was named, that is in the directory around it, if it is there. */
    @Override
    public Recovery recovery() throws IOException {
        for (Path folder = directory.toAbsolutePath().normalize(); folder != null; folder = folder.getParent()) {
            Recovery found = RecoveryFile.read(RecoveryFile.in(folder));
            if (!found.equals(Recovery.NONE) || Files.exists(folder.resolve(NodeFiles.QUORUM))) {
                return found;
            }
        }
        return Recovery.NONE;
    }

    /** What is there, as last looked at. */
    public NodeFiles files() {
        return files;
    }

    @Override
    public List<Keyframe> keyframes() {
        return files.keyframes().stream().<Keyframe>map(InFile::new).toList();
    }

    private final class InFile implements Keyframe {
        private final KeyframeFile file;

        InFile(KeyframeFile file) {
            this.file = file;
        }

        @Override
        public long term() {
            return file.term();
        }

        @Override
        public long index() {
            return file.index();
        }

        @Override
        public ClusterImage load() {
            return file.load(DirectorySource.this::tell);
        }
    }

    /** From the newest snapshot, and from what Ratis notes in the newest files of the log. */
    @Override
    public long committed() throws IOException {
        if (committed < 0) {
            List<KeyframeFile> keyframes = files.keyframes();
            long known = keyframes.isEmpty()
                    ? -1
                    : keyframes.get(keyframes.size() - 1).index();
            List<SegmentFile> segments = files.segments();
            for (int i = segments.size() - 1; i >= 0; i--) {
                long noted = noted(segments.get(i));
                known = Math.max(known, noted);
                if (noted >= 0) {
                    break;
                }
            }
            committed = known;
        }
        return committed;
    }

    private static long noted(SegmentFile segment) throws IOException {
        long noted = -1;
        try (SegmentReader reader = new SegmentReader(segment, finding -> {})) {
            for (RawEntry entry = reader.next(); entry != null; entry = reader.next()) {
                noted = Math.max(noted, entry.commitIndex());
            }
        } catch (NoSuchFileException e) {
            return -1;
        }
        return noted;
    }

    @Override
    public void read(long from, long to, Visitor visitor) throws IOException {
        if (firstMissing() >= 0) {
            // It may have gone with what belongs to it while the folders were looked through.
            look();
        }
        long next = from;
        int looks = 0;
        SegmentFile segment = following(next);
        while (segment != null && segment.first() <= to) {
            before(segment, next, from, visitor);
            Pass pass = new Pass(Math.max(next, from), to, visitor);
            try (SegmentReader reader = new SegmentReader(segment, this::tell)) {
                if (!pass.run(segment, reader)) {
                    return;
                }
                looks = 0;
            } catch (NoSuchFileException e) {
                if (++looks > LOOKS) {
                    throw e;
                }
                look();
                segment = following(pass.next);
                continue;
            }
            next = Math.max(pass.next, segment.isOpen() ? pass.next : segment.last() + 1);
            segment = segment.isOpen() ? openSuccessor(segment, next) : following(next);
        }
        if (segment == null && next > from) {
            behind(next, to);
        } else if (segment != null && next <= to) {
            before(segment, next, from, visitor);
        }
    }

    /** What is missing from {@code next} up to that file, if anything is. */
    private void before(SegmentFile segment, long next, long from, Visitor visitor) throws IOException {
        if (segment.first() <= next) {
            return;
        }
        boolean oldest = next == from && next < firstIndex();
        long missing = oldest ? Math.max(from, firstMissing()) : next;
        if (missing < segment.first() && (!oldest || firstMissing() >= 0)) {
            gap(segment, missing, segment.first() - 1, visitor);
        }
    }

    /** Behind an open file there is more only if it was closed while it was read. */
    private SegmentFile openSuccessor(SegmentFile read, long next) throws IOException {
        SegmentFile known = following(next);
        if (known != null && !known.path().equals(read.path())) {
            return known;
        }
        look();
        SegmentFile now = following(next);
        return now == null || now.path().equals(read.path()) ? null : now;
    }

    /** The last entries may be here as a snapshot only. */
    private void behind(long next, long to) {
        for (KeyframeFile keyframe : files.keyframes()) {
            if (keyframe.index() >= next && keyframe.index() <= to) {
                tell(Finding.note(keyframe.path(), -1, bridged(next, keyframe.index())));
                return;
            }
        }
    }

    private static String bridged(long first, long last) {
        return "entries " + first + " to " + last
                + " are not here: the controller was away and was given the snapshot at " + last;
    }

    private void gap(SegmentFile segment, long first, long last, Visitor visitor) throws IOException {
        boolean bridged = files.keyframes().stream().anyMatch(keyframe -> keyframe.index() == last);
        tell(
                bridged
                        ? Finding.note(segment.path(), -1, bridged(first, last))
                        : Finding.damage(
                                segment.path(), -1, "entries " + first + " to " + last + " before it are missing"));
        visitor.gap(first, last, bridged);
    }

    /**
     * The first entry that is missing before the oldest file of the log, -1 if none is: history begins with the log itself
     * or with a snapshot, and the log goes on from there.
     */
    private long firstMissing() {
        long expected = 0;
        for (KeyframeFile keyframe : files.keyframes()) {
            expected = keyframe.index() + 1;
            // Ratis keeps an earlier one of its own without the log behind it; history does not.
            if (Files.exists(
                    directory.resolve(NodeFiles.HISTORY).resolve(keyframe.path().getFileName()))) {
                break;
            }
        }
        return !files.segments().isEmpty() && firstIndex() > expected ? expected : -1;
    }

    private long firstIndex() {
        return files.segments().isEmpty()
                ? Long.MAX_VALUE
                : files.segments().get(0).first();
    }

    /** The file that has the entry of that index, else the first one behind it, else null. */
    private SegmentFile following(long index) {
        for (SegmentFile segment : files.segments()) {
            if (segment.last() >= index) {
                return segment;
            }
        }
        return null;
    }

    /** The passing on of one file's entries. */
    private static final class Pass {
        private final long to;
        private final Visitor visitor;
        private long next;

        Pass(long next, long to, Visitor visitor) {
            this.next = next;
            this.to = to;
            this.visitor = visitor;
        }

        /** False if the visitor has enough or the range ends. */
        boolean run(SegmentFile segment, SegmentReader reader) throws IOException {
            next = Math.max(next, segment.first());
            for (RawEntry entry = reader.next(); entry != null; entry = reader.next()) {
                if (entry.index() < next) {
                    continue;
                }
                if (entry.index() > next) {
                    visitor.gap(next, entry.index() - 1, false);
                }
                if (entry.index() > to || !visitor.entry(entry)) {
                    return false;
                }
                next = entry.index() + 1;
            }
            if (!segment.isOpen() && next <= segment.last() && segment.last() <= to) {
                visitor.gap(next, segment.last(), false);
            }
            return true;
        }
    }

    @Override
    public void close() {
        // Files are open only while they are read.
    }
}
