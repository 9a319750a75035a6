package io.tidemark.quorum.files;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.DirectoryIdentity;
import io.tidemark.model.config.Uuids;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Which files of the log a controller's directory holds at one moment.
 *
 * <pre>
 * quorum/GROUP/current/log_*        the log, as Ratis writes it
 * quorum/GROUP/sm/snapshot.*        the last snapshots
 * history/log_*, snapshot.*         what is kept after Ratis has purged it
 * </pre>
 *
 * @param segments by first index; of a segment that is in both places, the one in the log
 * @param keyframes by index
 * @param findings files that do not belong there, or are not finished
 */
public record NodeFiles(
        Path directory, List<SegmentFile> segments, List<KeyframeFile> keyframes, List<Finding> findings) {
    public static final String QUORUM = "quorum";
    public static final String HISTORY = "history";

    private static final String CURRENT = "current";
    private static final Set<String> OF_RATIS = Set.of("raft-meta", "raft-meta.conf");
    private static final String TEMPORARY = ".tmp";

    /**
     * Looks at a controller's directory, or at a copy of just its {@code GROUP} or {@code current} folder. Throws
     * IOException if there is none of them.
     */
    public static NodeFiles scan(Path directory) throws IOException {
        List<Finding> findings = new ArrayList<>();
        TreeMap<Long, SegmentFile> segments = new TreeMap<>();
        TreeMap<Long, KeyframeFile> keyframes = new TreeMap<>();
        Path history = directory.resolve(HISTORY);
        Path group = group(directory, findings);
        if (group == null && !Files.isDirectory(history)) {
            throw new IOException(directory + " is not a controller's directory: it has neither " + QUORUM
                    + "/GROUP/current nor " + HISTORY);
        }
        // The log last: it is what counts where both have a file.
        look(history, segments, keyframes, findings);
        if (group != null) {
            look(group.resolve("sm"), segments, keyframes, findings);
            look(group.resolve(CURRENT), segments, keyframes, findings);
        }
        return new NodeFiles(
                directory,
                segments.values().stream().sorted().toList(),
                List.copyOf(keyframes.values()),
                List.copyOf(findings));
    }

    private static Path group(Path directory, List<Finding> findings) throws IOException {
        if (Files.isDirectory(directory.resolve(CURRENT))) {
            return directory;
        }
        if (directory.endsWith(CURRENT) && Files.isDirectory(directory)) {
            return directory.getParent();
        }
        Path quorum = directory.resolve(QUORUM);
        if (!Files.isDirectory(quorum)) {
            return null;
        }
        List<Path> groups = new ArrayList<>();
        try (Stream<Path> entries = Files.list(quorum)) {
            for (Path entry : (Iterable<Path>) entries.sorted()::iterator) {
                if (Files.isDirectory(entry.resolve(CURRENT))) {
                    groups.add(entry);
                }
            }
        }
        if (groups.isEmpty()) {
            return null;
        }
        Path own = own(directory, findings)
                .map(quorum::resolve)
                .filter(groups::contains)
                .orElse(groups.get(0));
        groups.stream()
                .filter(other -> !other.equals(own))
                .forEach(other -> findings.add(Finding.damage(other, -1, "belongs to another cluster")));
        return own;
    }

    private static Optional<String> own(Path directory, List<Finding> findings) {
        try {
            return DirectoryIdentity.read(directory)
                    .map(identity -> Uuids.quorumGroup(identity.clusterId()).toString());
        } catch (DirectoryException e) {
            findings.add(Finding.damage(directory, -1, e.getMessage()));
            return Optional.empty();
        }
    }

    private static void look(
            Path folder,
            TreeMap<Long, SegmentFile> segments,
            TreeMap<Long, KeyframeFile> keyframes,
            List<Finding> findings)
            throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(folder)) {
            files = entries.sorted(Comparator.comparing(Path::toString)).toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path file : files) {
            Optional<SegmentFile> segment = SegmentFile.parse(file);
            Optional<KeyframeFile> keyframe = KeyframeFile.parse(file);
            if (segment.isPresent()) {
                add(segments, segment.get(), findings);
            } else if (keyframe.isPresent()) {
                add(keyframes, keyframe.get(), findings);
            } else {
                judge(file, findings);
            }
        }
    }

    /** Of two that begin alike the later seen folder's wins, in one folder the closed one. */
    private static void add(TreeMap<Long, SegmentFile> segments, SegmentFile segment, List<Finding> findings) {
        SegmentFile other = segments.get(segment.first());
        if (other != null && other.path().getParent().equals(segment.path().getParent())) {
            findings.add(Finding.damage(
                    segment.path(), -1, "begins like " + other.path().getFileName() + ", which is read instead"));
            return;
        }
        segments.put(segment.first(), segment);
    }

    private static void add(TreeMap<Long, KeyframeFile> keyframes, KeyframeFile keyframe, List<Finding> findings) {
        if (Files.exists(KeyframeFile.digestOf(keyframe.path()))) {
            keyframes.put(keyframe.index(), keyframe);
        } else {
            findings.add(Finding.note(keyframe.path(), -1, "a snapshot without its digest is not finished"));
        }
    }

    private static void judge(Path file, List<Finding> findings) {
        String name = file.getFileName().toString();
        if (name.endsWith(TEMPORARY) || name.endsWith(TEMPORARY + KeyframeFile.DIGEST_SUFFIX)) {
            findings.add(Finding.note(file, -1, "left from a write that did not end"));
        } else if (name.endsWith(KeyframeFile.DIGEST_SUFFIX)) {
            Path of = file.resolveSibling(name.substring(0, name.length() - KeyframeFile.DIGEST_SUFFIX.length()));
            if (!Files.exists(of)) {
                findings.add(Finding.note(file, -1, "the digest of a snapshot that is not there"));
            }
        } else if (!OF_RATIS.contains(name)) {
            findings.add(Finding.damage(file, -1, "a foreign file; it is not read"));
        }
    }
}
