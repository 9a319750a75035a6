package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Wall clocks of nodes that can jump, by libfaketime in their processes. Clocks that only count, those of timeouts and
 * waits, go on as they did: that is what a wall clock that is set means. Linux only.
 */
final class Clocks {
    private static final String LIBRARY = "libfaketimeMT.so.1";
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"), Path.of("/usr/local/lib"));
    private static final int DEPTH = 3;

    private final Path directory;
    private final Path library;
    private final Map<Integer, Long> offsetsMs = new TreeMap<>();

    /** Throws DrillException if there is no libfaketime. */
    Clocks(Path directory, Collection<Integer> nodes) {
        this.directory = directory;
        this.library = library();
        nodes.forEach(node -> set(node, 0));
    }

    private static Path library() {
        for (Path place : PLACES) {
            if (!Files.isDirectory(place)) {
                continue;
            }
            try (Stream<Path> found = Files.find(
                    place,
                    DEPTH,
                    (path, attributes) -> path.getFileName().toString().equals(LIBRARY))) {
                java.util.Optional<Path> first = found.findFirst();
                if (first.isPresent()) {
                    return first.get();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new DrillException("clocks that jump need libfaketime; on Debian: apt-get install -y libfaketime");
    }

    /** Words before a command that give it the clock of {@code $node}, a variable of the shell. */
    String words() {
        // It is asked for the time very often, and looks at its file once a second. Its mending of an old libc's fault
        // makes
        // each wait of a JVM end at once.
        return "env LD_PRELOAD=" + library
                + " FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_FORCE_MONOTONIC_FIX=0 NO_FAKE_STAT=1"
                + " FAKETIME_CACHE_DURATION=1 FAKETIME_TIMESTAMP_FILE='"
                + directory.toString().replace("'", "'\\''") + "'/clock-$node";
    }

    /** Within a second or two. */
    void jump(int node, long byMs) {
        set(node, offsetsMs.get(node) + byMs);
    }

    void restore(int node) {
        set(node, 0);
    }

    private void set(int node, long offsetMs) {
        offsetsMs.put(node, offsetMs);
        Replacing.write(
                directory.resolve("clock-" + node), String.format(java.util.Locale.ROOT, "%+.3f", offsetMs / 1000.0));
    }
}
