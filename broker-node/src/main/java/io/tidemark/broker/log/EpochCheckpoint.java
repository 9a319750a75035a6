package io.tidemark.broker.log;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The file {@code leader-epoch-checkpoint} of a partition, in Kafka's format (R9.20, R9.22). */
final class EpochCheckpoint {
    static final String NAME = "leader-epoch-checkpoint";

    private final Disk disk;
    private final Path path;

    EpochCheckpoint(Disk disk, Path directory) {
        this.disk = disk;
        this.path = directory.resolve(NAME);
    }

    /** Empty if the file is missing or not of the format: the history can be rebuilt (B10). */
    Optional<EpochHistory> read() throws IOException {
        try {
            List<EpochAndOffset> entries = new ArrayList<>();
            for (String[] fields : CheckpointText.parse(path, disk.read(path), 2)) {
                entries.add(new EpochAndOffset(Integer.parseInt(fields[0]), Long.parseLong(fields[1])));
            }
            return Optional.of(EpochHistory.of(entries));
        } catch (NoSuchFileException | CheckpointText.Malformed | NumberFormatException | Check.Violation e) {
            return Optional.empty();
        }
    }

    /** Durable on return. */
    void write(EpochHistory history) throws IOException {
        disk.replace(path, textOf(history));
    }

    /**
     * R5.24: on disk before the batch that brings the epoch. A loss of power may bring the older file back; recovery sees
     * that it does not explain the log and rebuilds the history (B10).
     */
    void writeAhead(EpochHistory history) throws IOException {
        disk.put(path, textOf(history));
    }

    private static byte[] textOf(EpochHistory history) {
        StringBuilder text = new StringBuilder("0\n" + history.entries().size() + "\n");
        for (EpochAndOffset entry : history.entries()) {
            text.append(entry.epoch()).append(' ').append(entry.offset()).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
