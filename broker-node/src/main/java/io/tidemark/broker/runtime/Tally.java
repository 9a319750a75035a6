package io.tidemark.broker.runtime;

/** The counters of one loop: only its thread counts and reads them, so that counting costs an addition. */
public final class Tally {
    private static final Counted[] ALL = Counted.values();

    private final long[] counts = new long[ALL.length];

    public void add(Counted what, long number) {
        counts[what.ordinal()] += number;
    }

    public long of(Counted what) {
        return counts[what.ordinal()];
    }

    /** Sums up what the others counted. */
    public static Tally sum(Iterable<Tally> tallies) {
        Tally sum = new Tally();
        for (Tally tally : tallies) {
            sum.addAll(tally);
        }
        return sum;
    }

    /** As it is now, for another thread. */
    public Tally copy() {
        Tally copy = new Tally();
        copy.addAll(this);
        return copy;
    }

    private void addAll(Tally other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }
}
