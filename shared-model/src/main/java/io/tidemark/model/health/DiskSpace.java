package io.tidemark.model.health;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Whether the volume that a node's data is on is nearly full. */
public final class DiskSpace {
    /** Of the volume, below which its space is worth a warning. */
    private static final double LEAST_FREE = 0.10;

    private DiskSpace() {}

    /** A sentence if less than 10 % of it is free, or if it cannot be asked. */
    public static Optional<String> warning(Path directory) {
        try {
            FileStore volume = Files.getFileStore(directory);
            return warning(directory, volume.getTotalSpace(), volume.getUsableSpace());
        } catch (IOException e) {
            return Optional.of("the volume of " + directory + " cannot be asked for its space: " + e);
        }
    }

    /** @param total bytes; 0 or less for a volume that has no such number */
    static Optional<String> warning(Path directory, long total, long free) {
        if (total <= 0 || free >= total * LEAST_FREE) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%.1f %% of the volume of %s are free (%d MiB)",
                100.0 * free / total,
                directory,
                free >> 20));
    }
}
