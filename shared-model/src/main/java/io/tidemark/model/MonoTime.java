package io.tidemark.model;

/** A moment on this process's monotonic clock, in milliseconds from an arbitrary origin: for deadlines and ages only. */
public record MonoTime(long ms) implements Comparable<MonoTime> {
    public MonoTime plus(long millis) {
        return new MonoTime(ms + millis);
    }

    /** Milliseconds from {@code earlier} to this moment; negative if {@code earlier} is later. */
    public long since(MonoTime earlier) {
        return ms - earlier.ms;
    }

    @Override
    public int compareTo(MonoTime other) {
        return Long.compare(ms, other.ms);
    }
}
