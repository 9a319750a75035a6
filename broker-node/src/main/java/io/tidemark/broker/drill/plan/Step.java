package io.tidemark.broker.drill.plan;

import java.util.List;
import java.util.Map;

/**
 * One thing that a drill does.
 *
 * @param atMs not before so long after the load began
 * @param node which nodes, in the words of {@link NodeWords}; "" for an action without
 * @param as the name under which later steps find these nodes; "" for none
 * @param arguments by name; lists with commas
 * @param line of the file, from 1
 */
public record Step(long atMs, Action action, String node, String as, Map<String, String> arguments, int line) {
    private static final List<String> ORDER = List.of(
            "until", "topic", "partition", "to", "type", "size", "set", "file", "from", "way", "delay", "loss", "by");

    public Step {
        arguments = Map.copyOf(arguments);
    }

    /** Throws if there is none: the reader has seen to it. */
    public String argument(String name) {
        String value = arguments.get(name);
        if (value == null) {
            throw new IllegalStateException(action.key() + " without " + name);
        }
        return value;
    }

    /** Everything but the time, as a sentence. */
    public String words() {
        StringBuilder words = new StringBuilder(action.key());
        if (!node.isEmpty()) {
            words.append(' ').append(node);
        }
        for (String name : ORDER) {
            if (arguments.containsKey(name)) {
                words.append(' ')
                        .append(name)
                        .append(' ')
                        .append(arguments.get(name))
                        .append(unit(name));
            }
        }
        return words.toString();
    }

    private static String unit(String name) {
        return switch (name) {
            case "delay", "by" -> " ms";
            case "loss" -> " %";
            default -> "";
        };
    }
}
