package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file could not be synced. The system reports that once and may drop what it could not write, so that also a process
 * that starts later on the same boot may find less than was written.
 */
public final class LostWritesException extends IOException {
    private static final long serialVersionUID = 1L;

    public LostWritesException(Path file, IOException cause) {
        super(file + " cannot be synced: " + cause.getMessage(), cause);
    }
}
