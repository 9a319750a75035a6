package io.tidemark.quorum.ratis;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.quorum.files.NodeFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Where the quorum's files are inside a node's directory. A controller that has voted must not come back without its
 * memory, so a mark outside of Ratis' own folder tells a first start from a lost log.
 */
final class QuorumStorage {
    private static final String MARK = "quorum.started";

    /** What the mark holds once the controller has taken part; before that it is empty. */
    private static final String TOOK_PART =
            "The votes and the log of this controller are in quorum; it must not start without.\n";

    /** Of Ratis, in the folder of a group: the term and the vote. */
    private static final String MEMORY = "current/raft-meta";

    /** Written by scripts/cluster.sh, too. */
    private static final String REMOVED = "quorum.removed";

    private QuorumStorage() {}

    /** Whether this controller has yet to be taken in by a quorum that works. */
    static boolean joining(Path directory) {
        return Files.exists(directory.resolve(NodeDirectory.JOINING));
    }

    /** It was taken in. */
    static void joined(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(NodeDirectory.JOINING));
        sync(directory);
    }

    /** Throws {@link DirectoryException} if this controller was let go: its log ends where it left. */
    static void requireNotRemoved(Path directory) {
        if (Files.exists(directory.resolve(REMOVED))) {
            throw new DirectoryException(
                    directory + " belongs to a controller that was removed from the quorum; to take"
                            + " it in again: scripts/cluster.sh quorum add N, with an empty directory");
        }
    }

    /** Throws {@link DirectoryException} if this controller is to begin with an image and has not got it in full. */
    static void requireImage(Path directory) {
        if (Files.exists(directory.resolve(NodeDirectory.AWAITING_IMAGE))) {
            throw new DirectoryException(directory + " is to begin with an image and has not got it:"
                    + " scripts/cluster.sh format --from-image was refused or broken off; repeat it");
        }
    }

    /** From here until {@link #filled} it does not start. */
    static void awaitImage(Path directory) throws IOException {
        Files.write(directory.resolve(NodeDirectory.AWAITING_IMAGE), new byte[0]);
        sync(directory);
    }

    /** Its image is there and synced. */
    static void filled(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(NodeDirectory.AWAITING_IMAGE));
        sync(directory);
    }

    /** It was let go. */
    static void removed(Path directory) throws IOException {
        Files.write(directory.resolve(REMOVED), new byte[0]);
        sync(directory);
    }

    /** Whether a controller has run there. */
    static boolean started(Path directory) {
        return Files.exists(directory.resolve(MARK));
    }

    static Path root(Path directory) {
        return directory.resolve(NodeFiles.QUORUM);
    }

    /**
     * Throws {@link DirectoryException} if the log was there once and is gone; else marks it as started. True if this is
     * the first start.
     */
    static boolean begin(Path directory) throws IOException {
        Path mark = directory.resolve(MARK);
        Path root = root(directory);
        boolean first = !Files.exists(mark);
        boolean lost = !first && !Files.isDirectory(root);
        if (lost || !first && Files.size(mark) > 0 && !joining(directory) && !remembers(root)) {
            throw new DirectoryException(directory + " has lost its metadata log (" + root.getFileName()
                    + (lost ? "" : "/*/" + MEMORY)
                    + " is missing): restore it, or format the directory anew as that of a replaced controller");
        }
        Files.createDirectories(root);
        UnsharedStart.forget(root);
        try (FileChannel channel = FileChannel.open(mark, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        sync(directory);
        return first;
    }

    private static boolean remembers(Path root) throws IOException {
        try (Stream<Path> groups = Files.list(root)) {
            return groups.anyMatch(group -> Files.exists(group.resolve(MEMORY)));
        }
    }

    /** From here on it may have voted, and acknowledged entries: all of it has to be there at the next start. */
    static void takesPart(Path directory) throws IOException {
        Path mark = directory.resolve(MARK);
        if (Files.size(mark) == 0) {
            Files.writeString(mark, TOOK_PART);
            syncFile(mark);
        }
    }

    static void syncFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory)) {
            channel.force(true);
        }
    }
}
