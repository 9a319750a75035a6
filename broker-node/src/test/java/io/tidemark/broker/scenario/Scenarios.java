package io.tidemark.broker.scenario;

import java.util.ArrayList;
import java.util.List;

/** Carries scenarios out, and makes files of them. */
public final class Scenarios {
    private Scenarios() {}

    /** The output of every block. */
    static List<List<String>> run(ScenarioFile file) {
        Cluster cluster = new Cluster();
        Verbs verbs = new Verbs(cluster);
        List<List<String>> outputs = new ArrayList<>();
        for (ScenarioFile.Block block : file.blocks()) {
            for (Command command : block.commands()) {
                try {
                    verbs.run(command);
                } catch (Exception | AssertionError e) {
                    throw ScenarioException.at(command.where(), e);
                }
            }
            outputs.add(cluster.out().take());
        }
        return outputs;
    }

    /**
     * The file of a scenario, with what it leads to.
     *
     * @param head comment lines without the leading mark, the first with number and claim
     * @param blocks commands that stand together; see docs/SCENARIOS.md
     */
    public static String write(List<String> head, List<List<String>> blocks) {
        StringBuilder text = new StringBuilder();
        head.forEach(line -> text.append(("# " + line).strip()).append('\n'));
        for (List<String> block : blocks) {
            text.append('\n').append(String.join("\n", block)).append("\n----\n");
        }
        ScenarioFile file = ScenarioFile.parse("written", text.toString());
        return file.with(run(file));
    }
}
