package io.tidemark.broker.drill;

import java.util.TreeMap;

/**
 * What a producer was promised: for each numbered record the offset it was acknowledged at, and the longest time that
 * passed without an acknowledgement after the first one. Thread-safe: the producer's callbacks write while the drill
 * reads.
 */
public final class AckLedger {
    /** Stands for an offset the broker did not tell, as it may for a repeated batch. */
    public static final long UNKNOWN_OFFSET = -1;

    private final TreeMap<Long, Long> offsetByNumber = new TreeMap<>();
    private final TreeMap<Long, Long> nanosByNumber = new TreeMap<>();
    private long failed;
    private long lastNanos;
    private long longestGapNanos;
    private boolean started;

    /** @param offset {@link #UNKNOWN_OFFSET} where the broker did not tell */
    public synchronized void acked(long number, long offset, long nowNanos) {
        offsetByNumber.put(number, offset);
        nanosByNumber.put(number, nowNanos);
        gapEndsAt(nowNanos);
        started = true;
    }

    /** Gaps so far do not count: for a load that has only just begun. */
    public synchronized void forgetGaps() {
        longestGapNanos = 0;
    }

    /** The producer gave the record up: it may have been written or not. */
    synchronized void failed() {
        failed++;
    }

    /** Ends the last gap, so that acks which never came back count too. */
    synchronized void stop(long nowNanos) {
        gapEndsAt(nowNanos);
        started = false;
    }

    public synchronized long ackedCount() {
        return offsetByNumber.size();
    }

    public synchronized long failedCount() {
        return failed;
    }

    public synchronized long longestGapMs() {
        return longestGapNanos / 1_000_000;
    }

    /** A copy: offset by record number. */
    public synchronized TreeMap<Long, Long> acks() {
        return new TreeMap<>(offsetByNumber);
    }

    /** One past the highest offset acknowledged, 0 if none is known. */
    public synchronized long end() {
        return offsetByNumber.values().stream().mapToLong(Long::longValue).max().orElse(-1) + 1;
    }

    /** A copy: when each record was acknowledged, by its number; System.nanoTime of this process. */
    public synchronized TreeMap<Long, Long> ackNanos() {
        return new TreeMap<>(nanosByNumber);
    }

    private void gapEndsAt(long nowNanos) {
        if (started) {
            longestGapNanos = Math.max(longestGapNanos, nowNanos - lastNanos);
        }
        lastNanos = nowNanos;
    }
}
