package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Directories of nodes behind a program (scripts/drill/disk.py) that can make each write and sync take longer. They are
 * mounted from the beginning and as fast as the program allows until they are slowed. Linux, root, and FUSE.
 */
final class SlowDisks {
    private static final int START_S = 20;
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    private final Path program;
    private final Path place;
    private final String python;
    private final Map<Integer, Path> delays = new TreeMap<>();

    /**
     * Throws DrillException if this machine does not have what it takes.
     *
     * @param programs where the programs that stand beside drills are
     * @param place for what is behind the directories
     */
    SlowDisks(Path programs, Path place) {
        this.program = programs.resolve("disk.py");
        this.place = place;
        this.python = Python.with(
                List.of("fusepy", "fuse"),
                "slow disks need Python 3 with fusepy; on Debian: apt-get install -y python3-fusepy");
    }

    /** Returns when the directory is behind the program; throws DrillException if this machine lets nobody do that. */
    void mount(int node, Path directory) {
        Path real = place.resolve("disk-" + node);
        Path delay = place.resolve("disk-" + node + ".delay");
        Path log = place.resolve("disk-" + node + ".log");
        try {
            Files.createDirectories(real);
            Files.createDirectories(directory);
            Files.writeString(delay, "0");
            Path mounted = directory.toRealPath();
            Process process =
                    Python.start(python, program, List.of(real.toString(), mounted.toString(), delay.toString()), log);
            Waiting.until(
                    "the disk of node " + node + " to be mounted",
                    START_S,
                    () -> !process.isAlive() || isMounted(mounted));
            if (!isMounted(mounted)) {
                throw new DrillException("a slow disk cannot be mounted here (it takes root and FUSE): "
                        + Files.readString(log).strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        delays.put(node, delay);
    }

    private static boolean isMounted(Path directory) {
        try {
            return Files.readAllLines(Path.of("/proc/mounts")).stream()
                    .map(line -> line.split(" "))
                    .anyMatch(fields ->
                            unescaped(fields[1]).equals(directory.toString()) && fields[2].startsWith("fuse"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Blanks and the like are octal numbers there. */
    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll(match -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 8))));
    }

    /** From the next write or sync on; 0 ms: as fast as before. */
    void delay(int node, long delayMs) {
        Path file = delays.get(node);
        if (file == null) {
            throw new DrillException("the disk of node " + node + " is not one that can be slowed");
        }
        Replacing.write(file, Long.toString(delayMs));
    }
}
