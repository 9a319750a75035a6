package io.tidemark.conformance;

import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Writes a line for each finished test at once, so that a run that is cut off has told what it knew. */
final class ResultLines implements TestExecutionListener {
    private static final int REASON_CHARACTERS = 300;

    private final String className;
    private final PrintWriter out;
    private final Map<TestName, Integer> runs = new HashMap<>();
    private final Map<String, Long> startedAt = new HashMap<>();

    ResultLines(String className, PrintWriter out) {
        this.className = className;
        this.out = out;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        startedAt.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        write(test, "skip", reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String reason = result.getThrowable().map(ResultLines::reason).orElse("");
        switch (result.getStatus()) {
            case SUCCESSFUL -> write(test, "pass", "");
            case ABORTED -> write(test, "skip", reason);
            case FAILED -> {
                if (test.isTest()) {
                    write(test, "fail", reason);
                } else {
                    // Tests below it may never have been found.
                    out.printf("fail\t%s.* -\t0\t%s%n", className, oneLine(reason));
                }
                result.getThrowable().ifPresent(cause -> trace(test, cause));
            }
        }
    }

    private void write(TestIdentifier test, String result, String reason) {
        test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .flatMap(source -> TestName.of(source.getClassName(), source.getMethodName(), test.getDisplayName()))
                .ifPresent(name -> {
                    int ordinal = runs.merge(name, 1, Integer::sum);
                    Long start = startedAt.remove(test.getUniqueId());
                    double seconds = start == null ? 0 : (System.nanoTime() - start) / 1e9;
                    out.printf("%s\t%s\t%.1f\t%s%n", result, name.numbered(ordinal), seconds, oneLine(reason));
                    out.flush();
                });
    }

    private static void trace(TestIdentifier test, Throwable cause) {
        System.err.println("FAILED " + test.getDisplayName());
        cause.printStackTrace();
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return cause.getClass().getSimpleName() + message;
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= REASON_CHARACTERS ? line : line.substring(0, REASON_CHARACTERS) + "...";
    }
}
