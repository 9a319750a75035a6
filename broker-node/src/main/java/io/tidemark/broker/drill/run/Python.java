package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs in Python that stand beside a drill: they act on what Java has no means for. */
final class Python {
    /** The system's first: another one on the path does not see what the system's packages bring. */
    private static final List<String> INTERPRETERS = List.of("/usr/bin/python3", "python3");

    private Python() {}

    /**
     * The interpreter that has one of these modules; throws DrillException with {@code hint} if there is none.
     *
     * @param hint what is needed, and how it is installed
     */
    static String with(List<String> modules, String hint) {
        for (String interpreter : INTERPRETERS) {
            for (String module : modules) {
                try {
                    if (Tool.run(List.of(interpreter, "-c", "import " + module)).status() == 0) {
                        return interpreter;
                    }
                } catch (DrillException e) {
                    // This interpreter is not there; the next one may be.
                    continue;
                }
            }
        }
        throw new DrillException(hint);
    }

    /** Its output goes to {@code log}: nobody reads a pipe. */
    static Process start(String interpreter, Path program, List<String> arguments, Path log) {
        List<String> words = new ArrayList<>(List.of(interpreter, program.toString()));
        words.addAll(arguments);
        try {
            return new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
