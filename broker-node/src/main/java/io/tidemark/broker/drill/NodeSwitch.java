package io.tidemark.broker.drill;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Kills and starts nodes with the operator's own script. */
final class NodeSwitch {
    private final List<String> script;

    /** @param script the script and its options, to which a command and a node id are added */
    NodeSwitch(List<String> script) {
        this.script = List.copyOf(script);
    }

    void kill(int node) {
        run("kill", node);
    }

    /** Returns when the node is ready. */
    void start(int node) {
        run("start", node);
    }

    private void run(String command, int node) {
        List<String> words = new ArrayList<>(script);
        words.add(command);
        words.add(Integer.toString(node));
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new DrillException(command + " " + node + " failed: " + output);
            }
        } catch (IOException e) {
            throw new DrillException("cannot run " + words + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        }
    }
}
