package io.tidemark.model.metadata;

/**
 * Upper bound of what can have been exposed while a partition is below its min ISR (B1): none at or above it, unknown
 * until a leader has reported, else the offset, the epoch of the record before it, and whether it is exact.
 */
public record Floor(Kind kind, long offset, int epoch, boolean exact) {
    /** Which of the three a floor is. */
    public enum Kind {
        NONE,
        UNKNOWN,
        KNOWN
    }

    public static final Floor NONE = new Floor(Kind.NONE, -1, -1, false);
    public static final Floor UNKNOWN = new Floor(Kind.UNKNOWN, -1, -1, false);

    public static Floor known(long offset, int epoch, boolean exact) {
        return new Floor(Kind.KNOWN, offset, epoch, exact);
    }
}
