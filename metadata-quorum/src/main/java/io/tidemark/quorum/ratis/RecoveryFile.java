package io.tidemark.quorum.ratis;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/** Remembers in a controller's directory that its quorum was made anew from an image; no file, no recovery. */
final class RecoveryFile {
    private static final String FILE = "quorum.recovered";

    private RecoveryFile() {}

    /** Throws {@link DirectoryException} if the file cannot be understood. */
    static Recovery read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
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
                return new Recovery(id, Long.parseLong(properties.getProperty("index", "")));
            }
        } catch (NumberFormatException e) {
            throw new DirectoryException(file + " is damaged: its index is not a number", e);
        }
        throw new DirectoryException(file + " is damaged: it has no id");
    }

    /** Nothing is written if there was no recovery. */
    static void write(Path directory, Recovery recovery) throws IOException {
        if (recovery.equals(Recovery.NONE)) {
            return;
        }
        Path file = directory.resolve(FILE);
        Path temporary = directory.resolve(FILE + ".tmp");
        Files.writeString(
                temporary,
                "# The controllers were made anew from the image at this index; what was decided after it is lost.\n"
                        + "id=" + recovery.id() + "\nindex=" + recovery.index() + "\n");
        QuorumStorage.syncFile(temporary);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        QuorumStorage.sync(directory);
    }
}
