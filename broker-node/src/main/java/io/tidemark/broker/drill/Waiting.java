package io.tidemark.broker.drill;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions outside this process, which can only be asked again and again. */
public final class Waiting {
    private static final long EVERY_MS = 10;

    private Waiting() {}

    /** Throws DrillException if the condition does not hold within {@code seconds}. */
    public static void until(String what, double seconds, BooleanSupplier condition) {
        long deadline = System.nanoTime() + (long) (seconds * 1e9);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new DrillException("waited " + seconds + " s for " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(EVERY_MS));
        }
    }

    /** For work that settles or idles: time itself is what is waited for. */
    public static void seconds(double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
