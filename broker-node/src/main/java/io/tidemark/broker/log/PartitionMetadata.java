package io.tidemark.broker.log;

import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file {@code partition.metadata}: which incarnation of the topic a partition directory belongs to (R9.23). */
final class PartitionMetadata {
    static final String NAME = "partition.metadata";
    private static final Pattern FORM = Pattern.compile("version: 0\\s+topic_id: (\\S+)\\s*");

    private PartitionMetadata() {}

    /** Empty if the file is missing or not of the format. */
    static Optional<TopicId> read(Disk disk, Path directory) throws IOException {
        try {
            Matcher matcher = FORM.matcher(new String(disk.read(directory.resolve(NAME)), StandardCharsets.UTF_8));
            return matcher.matches() ? Optional.of(TopicId.parse(matcher.group(1))) : Optional.empty();
        } catch (NoSuchFileException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whole or not there after a loss of power; durable once the directory was synced. */
    static void write(Disk disk, Path directory, TopicId id) throws IOException {
        String text = "version: 0\ntopic_id: " + id;
        disk.put(directory.resolve(NAME), text.getBytes(StandardCharsets.UTF_8));
    }
}
