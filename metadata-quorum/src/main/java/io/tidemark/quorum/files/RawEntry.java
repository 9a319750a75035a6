package io.tidemark.quorum.files;

import java.nio.file.Path;

/**
 * One entry of the log as it is stored.
 *
 * @param kind whose entry it is
 * @param data the encoded metadata entry; empty for entries of Ratis' own
 * @param commitIndex what an entry of kind COMMIT says is committed, else -1
 * @param file null if it came over the network; {@code position} is that of its first byte there
 */
public record RawEntry(long term, long index, Kind kind, byte[] data, long commitIndex, Path file, long position) {
    /** Whose entry it is. */
    public enum Kind {
        METADATA,
        /** Ratis: who takes part. */
        CONFIGURATION,
        /** Ratis: how far the log is committed. */
        COMMIT
    }

    public boolean isMetadata() {
        return kind == Kind.METADATA;
    }
}
