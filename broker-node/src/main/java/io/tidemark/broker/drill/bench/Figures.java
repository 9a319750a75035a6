package io.tidemark.broker.drill.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** Where measured values go: one line each, target, figure and value, appended to a file and shown. */
final class Figures {
    private final Path file;
    private final String target;

    Figures(Path file, String target) {
        this.file = file;
        this.target = target;
    }

    void add(Figure figure, double value) {
        try {
            Files.writeString(
                    file,
                    target + "\t" + figure + "\t" + value + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        tell(String.format(Locale.ROOT, "%s: %.3f %s", figure.title(), value, figure.unit()));
    }

    void tell(String line) {
        System.out.println("  [" + target + "] " + line);
        System.out.flush();
    }
}
