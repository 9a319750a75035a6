package io.tidemark.broker.drill.bench;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Occupies the memory its JVM was told to touch at start until its standard input ends, so that what is left is in use
 * after a warm-up and pages of files are taken from older pages instead of memory that was never touched.
 */
public final class Ballast {
    private Ballast() {}

    /** Prints {@code held} once the memory is touched (which the JVM does before it comes here), then waits. */
    public static void main(String[] arguments) throws IOException {
        System.out.println("held");
        System.in.transferTo(OutputStream.nullOutputStream());
    }
}
