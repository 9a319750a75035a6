package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a command and takes what it prints. */
final class Tool {
    private static final int LIMIT_S = 180;

    private Tool() {}

    /** How a command ended. */
    record Ended(int status, String out, String err) {}

    /** Its standard output; throws DrillException with what it said if it fails. */
    static String output(List<String> words) {
        Ended ended = run(words);
        if (ended.status != 0) {
            throw new DrillException(String.join(" ", words) + " failed: " + (ended.err + ended.out).strip());
        }
        return ended.out;
    }

    /** Throws DrillException only if it cannot be run, or takes more than 180 s. */
    static Ended run(List<String> words) {
        try {
            // Files and no pipes: the nodes a script starts inherit them.
            Path out = Files.createTempFile("drill", ".out");
            Path err = Files.createTempFile("drill", ".err");
            try {
                Process process = new ProcessBuilder(words)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .start();
                if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new DrillException(String.join(" ", words) + " did not end in " + LIMIT_S + " s");
                }
                return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new DrillException("cannot run " + words + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        }
    }
}
