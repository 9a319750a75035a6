package io.tidemark.conformance;

import java.util.concurrent.atomic.AtomicReference;
import org.opentest4j.TestAbortedException;

/**
 * Remembers that a test reached for what only Kafka's own servers have. The test is aborted, not failed; if it swallows
 * that and fails later, the cause is the same.
 */
final class Insides {
    private final AtomicReference<String> reached = new AtomicReference<>();

    /** Never returns; the result lets callers write {@code throw}. */
    TestAbortedException reach(String what) {
        String reason = "not applicable: the test reaches into Kafka's servers (" + what + ")";
        reached.compareAndSet(null, reason);
        throw new TestAbortedException(reason);
    }

    /** What to report instead of {@code failure}. */
    Throwable explain(Throwable failure) {
        String reason = reached.get();
        return reason == null || failure instanceof TestAbortedException
                ? failure
                : new TestAbortedException(reason, failure);
    }
}
