package io.tidemark.broker.log;

import java.io.IOException;

/**
 * Which segments retention gives up (R3.17): those whose newest record is too old, and those without which the log still
 * has the size it may have. The bounds are those of {@link LogSettings}, negative for none.
 */
final class LogRetention {
    private final LogSettings settings;
    private final TimestampLookup times;
    private final long nowMs;

    LogRetention(LogSettings settings, TimestampLookup times, long nowMs) {
        this.settings = settings;
        this.times = times;
        this.nowMs = nowMs;
    }

    boolean isExpired(Segment segment) throws IOException {
        return settings.retentionMs() >= 0
                && times.maxTimestampOf(segment) >= 0
                && times.maxTimestampOf(segment) < nowMs - settings.retentionMs();
    }

    /** Whether a log of {@code bytes} can do without its oldest segment. */
    boolean isTooMuch(long bytes, Segment oldest) {
        return settings.retentionBytes() >= 0 && bytes - oldest.size >= settings.retentionBytes();
    }
}
