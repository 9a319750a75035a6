package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** One of the checkpoint files of a data directory in Kafka's format: an offset per partition (R9.21, R9.22). */
final class OffsetCheckpoint {
    private final Disk disk;
    private final Path path;

    OffsetCheckpoint(Disk disk, Path path) {
        this.disk = disk;
        this.path = path;
    }

    /** A missing or empty file has no entries; throws IOException if the file is not of the format. */
    Map<LogName, Long> read() throws IOException {
        Map<LogName, Long> offsets = new TreeMap<>();
        if (!disk.exists(path)) {
            return offsets;
        }
        for (String[] fields : CheckpointText.parse(path, disk.read(path), 3)) {
            try {
                LogName name = new LogName(fields[0], Integer.parseInt(fields[1]));
                offsets.put(name, Math.max(0, Long.parseLong(fields[2])));
            } catch (NumberFormatException e) {
                throw new CheckpointText.Malformed(path, "malformed number: " + String.join(" ", fields));
            }
        }
        return offsets;
    }

    /** Durable on return. */
    void write(Map<LogName, Long> offsets) throws IOException {
        StringBuilder text = new StringBuilder("0\n" + offsets.size() + "\n");
        offsets.forEach((name, offset) -> text.append(name.topic())
                .append(' ')
                .append(name.partition())
                .append(' ')
                .append(offset)
                .append('\n'));
        disk.replace(path, text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
