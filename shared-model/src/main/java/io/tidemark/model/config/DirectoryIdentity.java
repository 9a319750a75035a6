package io.tidemark.model.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Properties;

/**
 * Whom a data directory belongs to, as kept in its {@code meta.properties} (R9.24).
 *
 * @param clusterId see {@link Uuids}
 * @param directoryId see {@link Uuids}; drawn when the directory is formatted and never changed
 */
public record DirectoryIdentity(String clusterId, int nodeId, String directoryId) {
    static final String FILE = "meta.properties";

    private static final int META_VERSION = 1;
    private static final int FORMAT_VERSION = 1;

    /** Empty if the directory has no such file; throws DirectoryException if the file is not one of ours. */
    public static Optional<DirectoryIdentity> read(Path directory) {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new DirectoryException(file + " cannot be read: " + e.getMessage(), e);
        }
        return Optional.of(parse(file, properties));
    }

    /** Writes and syncs the file; after a crash it is there in full or not at all (R9.22). */
    void write(Path directory) throws IOException {
        String text = "version=" + META_VERSION
                + "\ncluster.id=" + clusterId
                + "\nnode.id=" + nodeId
                + "\ndirectory.id=" + directoryId
                + "\ntidemark.format.version=" + FORMAT_VERSION
                + "\n";
        Path temporary = directory.resolve(FILE + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel channel = FileChannel.open(directory)) {
            channel.force(true);
        }
    }

    private static DirectoryIdentity parse(Path file, Properties properties) {
        requireVersion(file, properties, "version", META_VERSION);
        requireVersion(file, properties, "tidemark.format.version", FORMAT_VERSION);
        try {
            return new DirectoryIdentity(
                    Uuids.require(required(file, properties, "cluster.id")),
                    Integer.parseInt(required(file, properties, "node.id")),
                    Uuids.require(required(file, properties, "directory.id")));
        } catch (IllegalArgumentException e) {
            throw new DirectoryException(file + " is damaged: " + e.getMessage(), e);
        }
    }

    private static void requireVersion(Path file, Properties properties, String key, int known) {
        String text = properties.getProperty(key);
        if (text == null) {
            throw new DirectoryException(file + " has no " + key + ": this is not a data directory of Tidemark");
        }
        if (!text.equals(Integer.toString(known))) {
            throw new DirectoryException(file + " has " + key + "=" + text + ", and this program knows only " + known);
        }
    }

    private static String required(Path file, Properties properties, String key) {
        String text = properties.getProperty(key);
        if (text == null) {
            throw new DirectoryException(file + " is damaged: it has no " + key);
        }
        return text;
    }
}
