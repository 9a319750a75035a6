package io.tidemark.quorum.core;

import io.tidemark.model.TopicId;
import java.util.Collections;
import java.util.List;

/**
 * A sequence of numbers that looks random and follows from its seed alone (SplitMix64), so that a decision can be
 * repeated from what it was given.
 */
final class Seeded {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    Seeded(long seed) {
        this.state = seed;
    }

    long next() {
        state += GOLDEN_GAMMA;
        long mixed = state;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** A number in 0 .. bound - 1. */
    int below(int bound) {
        return (int) Long.remainderUnsigned(next(), bound);
    }

    /** A sequence of its own, independent of how much is drawn from this one afterwards. */
    Seeded split() {
        return new Seeded(next());
    }

    void shuffle(List<?> list) {
        for (int i = list.size() - 1; i > 0; i--) {
            Collections.swap(list, i, below(i + 1));
        }
    }

    /** Never zero, and never one whose text begins with a dash, which command lines would take for an option. */
    TopicId topicId() {
        while (true) {
            TopicId id = new TopicId(next(), next());
            if (!id.isZero() && id.toString().charAt(0) != '-') {
                return id;
            }
        }
    }
}
