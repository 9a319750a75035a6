package io.tidemark.quorum.files;

import java.nio.file.Path;

/**
 * Something about a node's files that a reader must know.
 *
 * @param file where; null if it is about no single file
 * @param position of the first byte concerned, -1 if it is about the whole file
 * @param what in words
 */
public record Finding(Severity severity, Path file, long position, String what) {
    /** How bad it is. */
    public enum Severity {
        /** Usual after a crash or in the life of a node; nothing that was committed is missing. */
        NOTE,
        /** Something is missing or is not what was written. */
        DAMAGE
    }

    public static Finding note(Path file, long position, String what) {
        return new Finding(Severity.NOTE, file, position, what);
    }

    public static Finding damage(Path file, long position, String what) {
        return new Finding(Severity.DAMAGE, file, position, what);
    }

    public boolean isDamage() {
        return severity == Severity.DAMAGE;
    }

    @Override
    public String toString() {
        String where = file == null ? "" : file + (position < 0 ? ": " : ", byte " + position + ": ");
        return where + what;
    }
}
