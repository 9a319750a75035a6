package io.tidemark.broker.drill.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that others read at any time: they see what was there or what is there, never a part. */
final class Replacing {
    private Replacing() {}

    static void write(Path file, String text) {
        try {
            Path next = file.resolveSibling(file.getFileName() + ".next");
            Files.writeString(next, text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
