package io.tidemark.model.config;

import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a reader's warnings to the log. */
final class ConfigWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigWarnings.class);

    private ConfigWarnings() {}

    static void log(Path file, ConfigReader reader) {
        reader.warnings().forEach(warning -> LOG.warn("{}: {}", file, warning));
    }
}
