package io.tidemark.model.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A data directory in use by this process: formatted, its own, and locked against any other process until closed. A
 * directory is never taken into use by itself: it is formatted first, since a blank one in the place of a lost one
 * would vote and acknowledge without its memory.
 */
public final class NodeDirectory implements AutoCloseable {
    /**
     * Beside the identity of a controller that has yet to be taken in by a quorum that works, and must not found one.
     */
    public static final String JOINING = "quorum.joining";

    /**
     * Beside the identity of a controller whose log is to be made from an image, until that is there in full: it must not
     * found a quorum that knows nothing.
     */
    public static final String AWAITING_IMAGE = "quorum.awaiting-image";

    private static final String LOCK_FILE = ".lock";

    /** What does not make a directory used. */
    private static final Set<String> IGNORED =
            Set.of(LOCK_FILE, JOINING, AWAITING_IMAGE, "lost+found", DirectoryIdentity.FILE + ".tmp");

    private final Path path;
    private final DirectoryIdentity identity;
    private final FileChannel lockChannel;

    private NodeDirectory(Path path, DirectoryIdentity identity, FileChannel lockChannel) {
        this.path = path;
        this.identity = identity;
        this.lockChannel = lockChannel;
    }

    /**
     * Gives a blank directory its identity; creates it where missing.
     *
     * @param ignoreFormatted whether a directory that already has this very identity is left as it is
     * @return false if it was left as it is
     * @throws DirectoryException if it belongs to another cluster or node, is formatted already, or holds anything
     */
    public static boolean format(Path path, String clusterId, int nodeId, boolean ignoreFormatted) {
        return format(path, clusterId, nodeId, ignoreFormatted, Optional.empty());
    }

    /**
     * As {@link #format(Path, String, int, boolean)}; {@code mark} is for a controller, {@link #JOINING} or
     * {@link #AWAITING_IMAGE}. It is there before the identity is.
     */
    public static boolean format(
            Path path, String clusterId, int nodeId, boolean ignoreFormatted, Optional<String> mark) {
        Optional<DirectoryIdentity> present = DirectoryIdentity.read(path);
        if (present.isPresent()) {
            requireSame(path, present.get(), clusterId, nodeId);
            if (!ignoreFormatted) {
                throw new DirectoryException(
                        path + " is already formatted for this node; --ignore-formatted leaves it as it is");
            }
            return false;
        }
        try {
            Files.createDirectories(path);
            requireBlank(path);
            // One that awaits its image stays so until it has it.
            Files.deleteIfExists(path.resolve(JOINING));
            if (mark.isPresent()) {
                Files.write(path.resolve(mark.get()), new byte[0]);
            }
            new DirectoryIdentity(Uuids.require(clusterId), nodeId, Uuids.random()).write(path);
        } catch (IOException e) {
            throw new DirectoryException(path + " cannot be formatted: " + reason(e), e);
        }
        return true;
    }

    /**
     * Takes a formatted directory into use.
     *
     * @throws DirectoryException if it is blank, damaged, another node's, or in use by another process
     */
    public static NodeDirectory open(Path path, int nodeId) {
        requireFormatted(path);
        FileChannel lock = lock(path);
        try {
            DirectoryIdentity identity = requireFormatted(path);
            if (identity.nodeId() != nodeId) {
                throw new DirectoryException(
                        path + " belongs to node " + identity.nodeId() + ", and this is node " + nodeId);
            }
            return new NodeDirectory(path, identity, lock);
        } catch (RuntimeException e) {
            closeQuietly(lock, e);
            throw e;
        }
    }

    /** As {@link #open(Path, int)}, and refuses the directory of another cluster. */
    public static NodeDirectory open(Path path, int nodeId, String clusterId) {
        NodeDirectory directory = open(path, nodeId);
        try {
            requireSame(path, directory.identity, clusterId, nodeId);
            return directory;
        } catch (DirectoryException e) {
            closeQuietly(directory.lockChannel, e);
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    /** See {@link Uuids}. */
    public String clusterId() {
        return identity.clusterId();
    }

    public int nodeId() {
        return identity.nodeId();
    }

    /** See {@link Uuids}; the same for the whole life of the directory. */
    public String directoryId() {
        return identity.directoryId();
    }

    /** Gives the lock back. Whoever uses the directory must have stopped before. */
    @Override
    public void close() {
        try {
            lockChannel.close();
        } catch (IOException e) {
            throw new DirectoryException(path + ": the lock cannot be given back: " + reason(e), e);
        }
    }

    private static DirectoryIdentity requireFormatted(Path path) {
        return DirectoryIdentity.read(path)
                .orElseThrow(() -> new DirectoryException(path
                        + " is not formatted; if this node is new here, format it: scripts/cluster.sh format"
                        + " (if it is not, its data is missing: do not format)"));
    }

    private static void requireSame(Path path, DirectoryIdentity present, String clusterId, int nodeId) {
        if (!present.clusterId().equals(clusterId)) {
            throw new DirectoryException(
                    path + " belongs to cluster " + present.clusterId() + ", and this is cluster " + clusterId);
        }
        if (present.nodeId() != nodeId) {
            throw new DirectoryException(
                    path + " belongs to node " + present.nodeId() + ", and this is node " + nodeId);
        }
    }

    private static void requireBlank(Path path) throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            Optional<String> found = entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !IGNORED.contains(name))
                    .findFirst();
            if (found.isPresent()) {
                throw new DirectoryException(path + " is not empty (it holds " + found.get()
                        + ") and has no meta.properties; it is not formatted over");
            }
        }
    }

    private static FileChannel lock(Path path) {
        Path file = path.resolve(LOCK_FILE);
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new DirectoryException(path + " cannot be locked: " + reason(e), e);
        }
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new DirectoryException(path + " is in use by another process" + holder(channel));
            }
            channel.truncate(0);
            channel.write(
                    StandardCharsets.US_ASCII.encode(
                            Long.toString(ProcessHandle.current().pid())),
                    0);
            return channel;
        } catch (OverlappingFileLockException e) {
            DirectoryException refused = new DirectoryException(path + " is in use by this very process", e);
            closeQuietly(channel, refused);
            throw refused;
        } catch (IOException e) {
            DirectoryException refused = new DirectoryException(path + " cannot be locked: " + reason(e), e);
            closeQuietly(channel, refused);
            throw refused;
        } catch (DirectoryException e) {
            closeQuietly(channel, e);
            throw e;
        }
    }

    /** The process id that the holder of the lock left in the file, for the message only. */
    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(20);
        channel.read(text, 0);
        String pid = StandardCharsets.US_ASCII.decode(text.flip()).toString();
        return pid.isEmpty() ? "" : " (process " + pid + ")";
    }

    private static void closeQuietly(FileChannel channel, RuntimeException because) {
        try {
            channel.close();
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }

    /** Messages of file system exceptions are often only the file's name. */
    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
