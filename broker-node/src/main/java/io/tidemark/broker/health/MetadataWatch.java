package io.tidemark.broker.health;

/**
 * For how long a broker's metadata has not reached what the acting controller had applied: heartbeats may be answered while the
 * metadata itself stands still. Any thread; times are monotonic milliseconds.
 */
public final class MetadataWatch {
    /** What is told at {@link #toldMs}, and waited for since. */
    private long toldIndex = -1;

    private long toldMs;

    /**
     * A heartbeat was answered.
     *
     * @param index last entry that the controller had applied
     * @param ownIndex last entry that this broker has applied
     */
    public synchronized void told(long index, long ownIndex, long nowMs) {
        if (ownIndex >= toldIndex) {
            toldIndex = index;
            toldMs = nowMs;
        } else {
            // One that has just begun to act may have applied less.
            toldIndex = Math.min(toldIndex, index);
        }
    }

    /** 0 if it has all that was told. */
    public synchronized long behindMs(long ownIndex, long nowMs) {
        return ownIndex >= toldIndex ? 0 : Math.max(0, nowMs - toldMs);
    }
}
