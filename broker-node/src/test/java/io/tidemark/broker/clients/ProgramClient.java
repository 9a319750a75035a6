package io.tidemark.broker.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** A client in another language: a program below {@code src/test/clients}. */
final class ProgramClient implements RealClient {
    private static final int LACKS_STATUS = 3;
    /** Longer than any of the programs waits for anything. */
    private static final int PATIENCE_S = 240;

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;

    ProgramClient(String name, List<String> command, Map<String, String> environment) {
        this.name = name;
        this.command = command;
        this.environment = environment;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Outcome run(String step, String bootstrap, List<String> arguments, IntConsumer sent) {
        List<String> words = new ArrayList<>(command);
        words.add(step);
        words.add(bootstrap);
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().putAll(environment);
        StringBuilder output = new StringBuilder();
        String last = "";
        try {
            Process process = builder.start();
            // A program that hangs holds its output open.
            process.onExit().orTimeout(PATIENCE_S, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("SENT ")) {
                        sent.accept(Integer.parseInt(line.substring("SENT ".length())));
                    } else {
                        output.append(line).append('\n');
                        last = line;
                    }
                }
            }
            int status = process.waitFor();
            return switch (status) {
                case 0 -> Outcome.WORKS;
                case LACKS_STATUS -> Outcome.lacks(last);
                default -> Outcome.failed("exit status " + status + ": " + output);
            };
        } catch (IOException e) {
            return Outcome.failed("the program does not start: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.failed("interrupted");
        }
    }
}
