package io.tidemark.model;

/** A moment on the wall clock, in milliseconds since the Unix epoch: for timestamps that leave the process only. */
public record WallTime(long ms) {
    public WallTime max(WallTime other) {
        return ms >= other.ms ? this : other;
    }
}
