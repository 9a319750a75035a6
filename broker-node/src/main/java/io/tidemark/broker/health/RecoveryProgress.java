package io.tidemark.broker.health;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** How far the recovery of the logs has come at start. Any thread. */
public final class RecoveryProgress {
    private final AtomicInteger recovered = new AtomicInteger();
    /** -1 until the directory has been looked through. */
    private volatile int logs = -1;

    public void found(int count) {
        logs = count;
    }

    public void oneRecovered() {
        recovered.incrementAndGet();
    }

    /** For the body of {@code /readyz}. */
    public Map<String, Object> facts() {
        return Map.of("logs", logs, "recovered", recovered.get());
    }
}
