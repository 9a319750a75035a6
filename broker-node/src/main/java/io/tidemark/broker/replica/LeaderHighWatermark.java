package io.tidemark.broker.replica;

/**
 * Moves the high watermark of the leader of one epoch, tells those who wait for it, and holds it where the controllers were
 * told that it stands.
 */
final class LeaderHighWatermark {
    private final LeaderState leader;
    private final LogView log;
    private final Watchers watchers;
    private final LeaderAppends appends;
    private final HighWatermark.Holders holders;
    /**
     * The mark does not rise above this: what was said of it with an ISR below min holds until a higher PE is applied,
     * whatever becomes of the proposal (B1, rule 3; trap C2).
     */
    private long cap = Long.MAX_VALUE;
    /** When the mark last moved, or records came to lie above it (B11); monotonic milliseconds. */
    private long sinceMs;

    LeaderHighWatermark(LeaderState leader, Watchers watchers, LeaderAppends appends, long nowMs) {
        this.leader = leader;
        this.log = leader.log();
        this.watchers = watchers;
        this.appends = appends;
        this.holders = leader::holdsMark;
        this.sinceMs = nowMs;
    }

    /** R3.1: to where those that hold it are known to be. To be called whenever something it depends on has changed. */
    void advance(long nowMs, Effects effects) {
        long mark = HighWatermark.of(
                log.highWatermark(),
                log.end(),
                leader.underMinIsr(),
                leader.followers().values(),
                holders,
                nowMs);
        mark = Math.min(mark, cap);
        if (mark > log.highWatermark()) {
            log.highWatermark(mark);
            sinceMs = nowMs;
            effects.add(new Effect.HighWatermarkMoved(mark));
            watchers.markMoved(effects);
            appends.markReached(effects);
        }
    }

    /** Before the log's end moves on. */
    void endMoves(long nowMs) {
        if (log.highWatermark() == log.end()) {
            sinceMs = nowMs;
        }
    }

    /** The controllers are told that the mark has never been above {@code floor} and will not be. */
    void holdAt(long floor) {
        cap = Math.min(cap, floor);
    }

    /** A higher PE is applied. */
    void release() {
        cap = Long.MAX_VALUE;
    }

    boolean held() {
        return cap != Long.MAX_VALUE;
    }

    /** Whether it is held where it is, so that no follower can move it. */
    boolean atCap() {
        return cap <= log.highWatermark();
    }

    /** When the mark last moved, or records came to lie above it; monotonic milliseconds. */
    long sinceMs() {
        return sinceMs;
    }
}
