package io.tidemark.broker.drill.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A process that tells for each line its two clocks in ms, wall and counting, and how long one wait of it took. */
final class ClockProbe {
    static final int WAIT_MS = 300;
    private static final int NANOS = 1_000_000;

    private ClockProbe() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            long waited = wait(new Object());
            System.out.println(System.currentTimeMillis() + " " + System.nanoTime() / NANOS + " " + waited);
        }
    }

    /** One wait of the system and no loop around it, which would hide that it ends too soon. */
    private static long wait(Object nobody) throws InterruptedException {
        long before = System.nanoTime();
        synchronized (nobody) {
            TimeUnit.MILLISECONDS.timedWait(nobody, WAIT_MS);
        }
        return (System.nanoTime() - before) / NANOS;
    }
}
