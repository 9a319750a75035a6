package io.tidemark.broker.runtime;

import io.tidemark.model.MonoTime;

/** Where a shell takes its monotonic time from; the cores get it as an argument. */
@FunctionalInterface
public interface MonoClock {
    MonoTime now();

    /** This process's clock. */
    MonoClock SYSTEM = () -> new MonoTime(System.nanoTime() / 1_000_000);
}
