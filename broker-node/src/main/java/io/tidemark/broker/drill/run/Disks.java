package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Small disks of their own for nodes, in memory, which can be filled. Linux and root only. */
final class Disks {
    private static final String FILLER = "drill-filler";
    private static final String SOURCE = "tidemark-drill";
    private static final int PIECE = 64 << 10;

    private Disks() {}

    /** Throws DrillException if this machine lets nobody do that. */
    static void mount(Path directory, int megabytes) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            Tool.output(List.of("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", SOURCE, directory.toString()));
        } catch (DrillException e) {
            throw new DrillException("a small disk cannot be mounted here (it takes root): " + e.getMessage(), e);
        }
    }

    /** Whether the directory is one that {@link #mount} has made. */
    static boolean isSmall(Path directory) {
        try {
            return Files.isDirectory(directory)
                    && Files.getFileStore(directory).name().equals(SOURCE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes until nothing fits any more. */
    static void fill(Path directory) {
        byte[] piece = new byte[PIECE];
        try (OutputStream filler = Files.newOutputStream(directory.resolve(FILLER))) {
            while (true) {
                filler.write(piece);
            }
        } catch (IOException e) {
            // That is the full disk.
            return;
        }
    }

    static void free(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve(FILLER));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
