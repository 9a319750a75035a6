package io.tidemark.broker.replica;

/**
 * The offset below which everything is committed, as a leader computes it (R3.1):
 *
 * <pre>
 *   leader end    |-----------------------------|          a replica that holds the mark is in the maximal ISR,
 *   holds, end    |--------------------|                   or keeps up and waits to join (R3.2)
 *   holds not     |-----------|
 *   high watermark                     ^                   frozen while |ISR| is below the min ISR (R3.7)
 * </pre>
 */
final class HighWatermark {
    /** Which followers hold the mark. */
    interface Holders {
        boolean include(FollowerProgress follower, long nowMs);
    }

    private HighWatermark() {}

    /** The new mark: never below {@code current}, never above {@code leaderEnd}. */
    static long of(
            long current,
            long leaderEnd,
            boolean underMinIsr,
            Iterable<FollowerProgress> followers,
            Holders holders,
            long nowMs) {
        if (underMinIsr) {
            return current;
        }
        long mark = leaderEnd;
        for (FollowerProgress follower : followers) {
            if (follower.end() < mark && holders.include(follower, nowMs)) {
                // An unknown end (-1) stops any advance (R3.3).
                mark = follower.end();
            }
        }
        return Math.max(current, mark);
    }
}
