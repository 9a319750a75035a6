package io.tidemark.broker.scenario;

import java.util.ArrayList;
import java.util.List;

/** The text of a scenario: comments, and blocks of commands with the output that is expected of them. */
final class ScenarioFile {
    private static final String SEPARATOR = "----";

    /** @param before comments and empty lines in front of it */
    record Block(List<String> before, List<Command> commands, List<String> expected, String where) {}

    private final List<Block> blocks = new ArrayList<>();
    private final List<String> after = new ArrayList<>();

    private ScenarioFile() {}

    static ScenarioFile parse(String name, String text) {
        ScenarioFile file = new ScenarioFile();
        List<String> before = new ArrayList<>();
        List<String> lines = text.lines().toList();
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at);
            if (line.isBlank() || line.startsWith("#")) {
                before.add(line);
                at++;
                continue;
            }
            String where = name + ":" + (at + 1);
            List<Command> commands = new ArrayList<>();
            while (at < lines.size() && !lines.get(at).equals(SEPARATOR)) {
                if (lines.get(at).isBlank()) {
                    throw new ScenarioException(where + ": a block has a line " + SEPARATOR + " after its commands");
                }
                commands.add(new Command(lines.get(at), name + ":" + (at + 1)));
                at++;
            }
            if (at == lines.size()) {
                throw new ScenarioException(where + ": a block has a line " + SEPARATOR + " after its commands");
            }
            at++;
            List<String> expected = new ArrayList<>();
            while (at < lines.size() && !lines.get(at).isBlank()) {
                expected.add(lines.get(at++));
            }
            file.blocks.add(new Block(List.copyOf(before), commands, expected, where));
            before.clear();
        }
        file.after.addAll(before);
        return file;
    }

    List<Block> blocks() {
        return blocks;
    }

    /** The comment lines at the head. */
    List<String> head() {
        List<String> head = new ArrayList<>();
        for (String line : blocks.isEmpty() ? after : blocks.get(0).before()) {
            if (line.isBlank()) {
                break;
            }
            head.add(line);
        }
        return head;
    }

    /** The same file with that output, block by block. */
    String with(List<List<String>> outputs) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            List<String> before = block.before();
            if (i > 0 && (before.isEmpty() || !before.get(0).isBlank())) {
                text.append('\n');
            }
            before.forEach(line -> text.append(line).append('\n'));
            block.commands().forEach(command -> text.append(command.text()).append('\n'));
            text.append(SEPARATOR).append('\n');
            outputs.get(i).forEach(line -> text.append(line).append('\n'));
        }
        return text.toString();
    }
}
