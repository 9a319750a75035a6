package io.tidemark.quorum.ratis;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.quorum.files.NodeFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Where the quorum's files are inside a node's directory. A controller that has voted must not come back without its
 * memory, so a mark outside of Ratis' own folder tells a first start from a lost log.
 */
final class QuorumStorage {
    private static final String MARK = "quorum.started";

    private QuorumStorage() {}

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
        if (Files.exists(mark) && !Files.isDirectory(root)) {
            throw new DirectoryException(directory + " has lost its metadata log (" + root.getFileName()
                    + " is missing): restore it, or format the directory anew as that of a replaced controller");
        }
        boolean first = !Files.exists(mark);
        Files.createDirectories(root);
        UnsharedStart.forget(root);
        try (FileChannel channel = FileChannel.open(mark, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        try (FileChannel channel = FileChannel.open(directory)) {
            channel.force(true);
        }
        return first;
    }
}
