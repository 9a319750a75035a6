package io.tidemark.broker.sim;

import java.util.List;
import java.util.Random;

/** Draws for one part of the simulation. */
final class Chance {
    private final Random random;

    Chance(long seed) {
        this.random = new Random(seed);
    }

    /** A source of its own, so that more draws in one part do not change another. */
    Chance fork() {
        return new Chance(random.nextLong());
    }

    Random random() {
        return random;
    }

    boolean oneIn(int cases) {
        return random.nextInt(cases) == 0;
    }

    /** Both bounds included. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    long bits() {
        return random.nextLong();
    }

    <T> T of(List<T> items) {
        return items.get(random.nextInt(items.size()));
    }

    /** Microseconds: mostly near {@code low}, seldom near {@code high}. */
    long delay(long low, long high) {
        double share = random.nextDouble();
        return low + (long) ((high - low) * share * share * share);
    }
}
