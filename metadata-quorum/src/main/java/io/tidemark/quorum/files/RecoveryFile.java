package io.tidemark.quorum.files;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.io.Reader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * Remembers that a quorum was made anew from an image, and how often before: in a controller's directory, and beside an
 * exported image, whose reader has to know what its history has lost already. No file, no recovery.
 */
public final class RecoveryFile {
    private static final String FILE = "quorum.recovered";
    private static final String BESIDE_SUFFIX = ".recovered";

    private RecoveryFile() {}

    /** Of a controller's directory. */
    public static Path in(Path directory) {
        return directory.resolve(FILE);
    }

    /** Of an exported image. */
    public static Path beside(Path image) {
        return image.resolveSibling(image.getFileName() + BESIDE_SUFFIX);
    }

    /** Throws {@link DirectoryException} if the file cannot be understood. */
    public static Recovery read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Recovery.NONE;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        try {
            String id = properties.getProperty("id", "");
            if (!id.isEmpty()) {
                return new Recovery(
                        id,
                        Long.parseLong(properties.getProperty("index", "")),
                        earlier(properties.getProperty("earlier", "")));
            }
        } catch (IllegalArgumentException e) {
            throw new DirectoryException(file + " is damaged: an index in it is not a number", e);
        }
        throw new DirectoryException(file + " is damaged: it has no id");
    }

    private static List<Recovery.Past> earlier(String text) {
        List<Recovery.Past> earlier = new ArrayList<>();
        for (String one : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int at = one.indexOf('@');
            if (at <= 0) {
                throw new IllegalArgumentException(one);
            }
            earlier.add(new Recovery.Past(one.substring(0, at), Long.parseLong(one.substring(at + 1))));
        }
        return earlier;
    }

    /** Survives a crash when this returns. Nothing is written if there was no recovery. */
    public static void write(Path file, Recovery recovery) throws IOException {
        if (recovery.equals(Recovery.NONE)) {
            return;
        }
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        String earlier = recovery.earlier().stream()
                .map(one -> one.id() + "@" + one.index())
                .collect(Collectors.joining(","));
        Files.writeString(
                temporary,
                "# The controllers were made anew from the image at this index; what was decided after it is lost.\n"
                        + "id=" + recovery.id() + "\nindex=" + recovery.index() + "\n"
                        + (earlier.isEmpty() ? "" : "earlier=" + earlier + "\n"));
        sync(temporary, StandardOpenOption.WRITE);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        sync(file.toAbsolutePath().getParent(), StandardOpenOption.READ);
    }

    private static void sync(Path path, StandardOpenOption option) throws IOException {
        try (FileChannel channel = FileChannel.open(path, option)) {
            channel.force(true);
        }
    }
}
