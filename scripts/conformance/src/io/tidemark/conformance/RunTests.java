package io.tidemark.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one class of cluster tests and appends one line a test to a file: result, name, seconds and reason, separated by
 * tabs. {@code RunTests CLASS FILE SECONDS}, the last being the time limit of one test. The exit status tells only
 * whether the run came to its end.
 */
public final class RunTests {
    private RunTests() {}

    public static void main(String[] arguments) throws IOException {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(arguments[0]))
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
                .configurationParameter(
                        "junit.jupiter.execution.timeout.testtemplate.method.default", arguments[2] + " s")
                .build();
        try (PrintWriter out = new PrintWriter(
                Files.newBufferedWriter(Path.of(arguments[1]), StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
            LauncherFactory.create().execute(request, new ResultLines(arguments[0], out));
        }
        // Threads that a test or a cluster left behind must not keep the process alive.
        System.exit(0);
    }
}
