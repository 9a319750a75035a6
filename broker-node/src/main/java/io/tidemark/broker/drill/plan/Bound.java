package io.tidemark.broker.drill.plan;

/** What a measured number must be within, both ends inclusive. */
public record Bound(long least, long most) {
    public static final Bound ANY = new Bound(Long.MIN_VALUE, Long.MAX_VALUE);

    public static Bound exactly(long value) {
        return new Bound(value, value);
    }

    public boolean holds(long value) {
        return value >= least && value <= most;
    }

    @Override
    public String toString() {
        if (least == most) {
            return Long.toString(least);
        }
        if (most == Long.MAX_VALUE) {
            return least == Long.MIN_VALUE ? "any" : least + " or more";
        }
        return least == Long.MIN_VALUE || least == 0 ? "at most " + most : least + " to " + most;
    }
}
