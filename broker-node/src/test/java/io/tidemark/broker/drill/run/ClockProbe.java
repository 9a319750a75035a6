package io.tidemark.broker.drill.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** A process that tells its two clocks in ms, wall and counting, for each line that it is given. */
final class ClockProbe {
    private static final int NANOS = 1_000_000;

    private ClockProbe() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            System.out.println(System.currentTimeMillis() + " " + System.nanoTime() / NANOS);
        }
    }
}
