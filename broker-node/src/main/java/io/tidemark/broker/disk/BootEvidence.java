package io.tidemark.broker.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A string that stays equal as long as what {@code write} accepted cannot have been lost: the id of the kernel's boot,
 * and device and mount id of the file system under a directory (B1).
 */
public final class BootEvidence {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    private BootEvidence() {}

    /** The evidence for {@code directory}, which exists; empty where the system does not tell. */
    public static String of(Path directory) throws IOException {
        if (!Files.isReadable(BOOT_ID) || !Files.isReadable(MOUNTS)) {
            return "";
        }
        String boot = Files.readString(BOOT_ID).strip();
        return mountOf(directory.toRealPath().toString(), Files.readAllLines(MOUNTS))
                .map(mount -> boot + " " + mount)
                .orElse("");
    }

    /** "device mount-id mount-point" of the innermost, newest mount over {@code path}. */
    static Optional<String> mountOf(String path, List<String> mountInfo) {
        String best = null;
        int longest = -1;
        for (String line : mountInfo) {
            // id, parent, major:minor, root, mount point, options ...
            String[] fields = line.split(" ");
            if (fields.length < 5) {
                continue;
            }
            String point = unescape(fields[4]);
            boolean covers = point.equals("/") || path.equals(point) || path.startsWith(point + "/");
            if (covers && point.length() >= longest) {
                longest = point.length();
                best = fields[2] + " " + fields[0] + " " + point;
            }
        }
        return Optional.ofNullable(best);
    }

    /** The kernel writes blank, tab, newline and backslash as three octal digits. */
    private static String unescape(String point) {
        return point.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
