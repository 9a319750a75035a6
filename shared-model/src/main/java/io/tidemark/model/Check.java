package io.tidemark.model;

/**
 * Assertions that stay on in production, for invariants whose violation would mean lost data (the caller stops the
 * partition or the node loudly rather than go on).
 */
public final class Check {
    private Check() {}

    /** Thrown when an invariant does not hold: a bug or damaged data, never bad user input. */
    public static final class Violation extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        public Violation(String message) {
            super(message);
        }
    }

    /** Fails with {@code what} if {@code condition} is false. */
    public static void that(boolean condition, String what) {
        if (!condition) {
            throw new Violation(what);
        }
    }

    /** Fails with a formatted message (see {@link String#format}) if {@code condition} is false. */
    public static void that(boolean condition, String format, Object... arguments) {
        if (!condition) {
            throw new Violation(String.format(format, arguments));
        }
    }

    /** As {@link #that(boolean, String)} without boxing, for hot paths. */
    public static void that(boolean condition, String what, long left, long right) {
        if (!condition) {
            throw new Violation(what + " (" + left + ", " + right + ")");
        }
    }
}
