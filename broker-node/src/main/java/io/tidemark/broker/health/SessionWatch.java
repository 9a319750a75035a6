package io.tidemark.broker.health;

/**
 * How much of the session is left between heartbeats that the acting controller answers: the longest gap of late, of which
 * the rest of the session is the margin. Any thread; times are monotonic milliseconds.
 */
public final class SessionWatch {
    /** Gaps are remembered for between once and twice this long. */
    static final long WINDOW_MS = 60_000;

    private final long sessionMs;
    private long lastMs = -1;
    private long windowFromMs;
    private long longestBefore;
    private long longestNow;

    public SessionWatch(long sessionMs) {
        this.sessionMs = sessionMs;
    }

    /** A heartbeat that was sent then was answered. */
    public synchronized void answered(long sentMs) {
        if (lastMs >= 0) {
            longestNow = Math.max(longestNow, sentMs - lastMs);
        } else {
            windowFromMs = sentMs;
        }
        lastMs = Math.max(lastMs, sentMs);
        turn(sentMs);
    }

    private void turn(long nowMs) {
        if (nowMs - windowFromMs >= WINDOW_MS) {
            longestBefore = nowMs - windowFromMs >= 2 * WINDOW_MS ? 0 : longestNow;
            longestNow = 0;
            windowFromMs = nowMs;
        }
    }

    /** Since the last answered heartbeat was sent; -1 if none was. */
    public synchronized long silentMs(long nowMs) {
        return lastMs < 0 ? -1 : Math.max(0, nowMs - lastMs);
    }

    /** The longest time without an answered heartbeat, of late; -1 if none was answered yet. */
    public synchronized long longestGapMs(long nowMs) {
        if (lastMs < 0) {
            return -1;
        }
        turn(nowMs);
        return Math.max(Math.max(longestBefore, longestNow), nowMs - lastMs);
    }

    /** What was left of the session at the worst moment; below 0 it had run out. */
    public synchronized long marginMs(long nowMs) {
        return sessionMs - longestGapMs(nowMs);
    }

    public long sessionMs() {
        return sessionMs;
    }
}
