package io.tidemark.broker.drill.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** One value of a YAML file with its line, read as the type that is wanted; PlanException if it is of another. */
final class YamlNode {
    private static final long MOST_MS = 86_400_000;
    private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s)");

    private final String file;
    private final String name;
    private final Node node;

    private YamlNode(String file, String name, Node node) {
        this.file = file;
        this.name = name;
        this.node = node;
    }

    /** @param file only for messages */
    static YamlNode parse(String file, String text) {
        try {
            Node root = new Compose(LoadSettings.builder().setLabel(file).build())
                    .composeString(text)
                    .orElseThrow(() -> new PlanException(file, 1, "the file is empty"));
            return new YamlNode(file, "the file", root);
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
            throw new PlanException(file, line, "this is no YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new PlanException(file, 1, "this is no YAML: " + e.getMessage());
        }
    }

    /** From 1. */
    int line() {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }

    PlanException wrong(String what) {
        return new PlanException(file, line(), what);
    }

    /** Fields by name, in the order of the file; any other name than {@code allowed} is refused. */
    Map<String, YamlNode> fields(Set<String> allowed) {
        Map<String, YamlNode> fields = fields();
        fields.forEach((key, value) -> {
            if (!allowed.contains(key)) {
                throw value.wrong("there is no " + key + " here, but: " + String.join(", ", allowed));
            }
        });
        return fields;
    }

    /** Fields by whatever names, in the order of the file. */
    Map<String, YamlNode> fields() {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong(name + " has to be fields, NAME: VALUE");
        }
        Map<String, YamlNode> fields = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw wrong("a name has to be a word");
            }
            YamlNode value = new YamlNode(file, key.getValue(), tuple.getValueNode());
            if (fields.put(key.getValue(), value) != null) {
                throw new YamlNode(file, key.getValue(), key).wrong(key.getValue() + " is there twice");
            }
        }
        return fields;
    }

    List<YamlNode> items() {
        if (!(node instanceof SequenceNode sequence)) {
            throw wrong(name + " has to be a list");
        }
        List<YamlNode> items = new ArrayList<>();
        for (Node item : sequence.getValue()) {
            items.add(new YamlNode(file, "an entry of " + name, item));
        }
        return items;
    }

    boolean isFields() {
        return node instanceof MappingNode;
    }

    boolean isItems() {
        return node instanceof SequenceNode;
    }

    /** A single value in one line. */
    String text() {
        if (!(node instanceof ScalarNode scalar) || scalar.getValue().isBlank()) {
            throw wrong(name + " has to be one value");
        }
        return scalar.getValue().strip().replaceAll("\\s+", " ");
    }

    long number(long least, long most) {
        try {
            long value = Long.parseLong(text());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw wrong(name + " has to be a whole number from " + least + " to " + most);
    }

    boolean flag() {
        return switch (text()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(name + " has to be true or false");
        };
    }

    /** In ms, a day at most; written as 500ms, 4s or 2.5s. */
    long durationMs() {
        long value = durationMs(text());
        if (value > MOST_MS) {
            throw wrong(name + " has to be a time of no more than a day, 86400s");
        }
        return value;
    }

    /** The same with or without a minus sign. */
    long signedDurationMs() {
        String text = text();
        return text.startsWith("-") ? -durationMs(text.substring(1)) : durationMs(text);
    }

    private long durationMs(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw wrong(name + " has to be a time: 500ms, 4s, 2.5s");
        }
        double value = Double.parseDouble(matcher.group(1));
        return Math.round(matcher.group(2).equals("s") ? value * 1000 : value);
    }

    List<Integer> ids() {
        return items().stream()
                .map(item -> (int) item.number(0, Integer.MAX_VALUE))
                .toList();
    }

    /** Names and values as text. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        fields().forEach((key, value) -> texts.put(key, value.text()));
        return texts;
    }
}
