package io.tidemark.model.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Where the keys for data directories lead; a node has one directory for each role, possibly the same. */
final class DataPaths {
    private static final Path STAND_IN = Path.of("data");

    private DataPaths() {}

    /** {@code log.dirs}, else {@code log.dir}: the broker's one directory. */
    static Path broker(ConfigReader reader) {
        boolean many = reader.has("log.dirs");
        boolean one = reader.has("log.dir");
        if (!many && !one) {
            reader.problem("log.dirs is missing");
        }
        Path single = reader.value("log.dir", STAND_IN, DataPaths::parse);
        return reader.value("log.dirs", single, DataPaths::parse);
    }

    /** {@code metadata.log.dir}, else the broker's. */
    static Path controller(ConfigReader reader) {
        boolean metadata = reader.has("metadata.log.dir");
        boolean data = reader.has("log.dirs") | reader.has("log.dir");
        if (!metadata && !data) {
            reader.problem("metadata.log.dir is missing, and so is log.dirs");
        }
        Path shared = data ? broker(reader) : STAND_IN;
        return reader.value("metadata.log.dir", shared, DataPaths::parse);
    }

    private static Path parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("expected a directory");
        }
        if (text.indexOf(',') >= 0) {
            throw new IllegalArgumentException("expected one directory; more than one is not built yet");
        }
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("expected a directory: " + e.getReason(), e);
        }
    }
}
