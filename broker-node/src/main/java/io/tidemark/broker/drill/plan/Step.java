package io.tidemark.broker.drill.plan;

import java.util.List;
import java.util.Map;

/**
 * One thing that a drill does.
 *
 * @param atMs not before so long after the load began
 * @param node which nodes, in the words of {@link NodeWords}; "" for an action without
 * @param as the name under which later steps find these nodes; "" for none
 * @param arguments by name; lists with commas, settings with {@link #SETTINGS_DELIMITER}
 * @param line of the file, from 1
 */
public record Step(long atMs, Action action, String node, String as, Map<String, String> arguments, int line) {
    /** Between the settings of a configuration; no value has it. */
    public static final String SETTINGS_DELIMITER = "\n";

    private static final List<String> ORDER = List.of(
            "until", "topic", "partition", "to", "type", "size", "set", "file", "from", "way", "delay", "loss", "by");

    private static final int HARMFUL_LOSS_PERCENT = 30;
    private static final int HARMFUL_CABLE_MS = 3_000;
    private static final int HARMFUL_DISK_MS = 1_000;

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

    /**
     * Whether nodes may do nothing useful any more after it: cables that lose so much or take so long, and disks so slow,
     * that sessions and requests run out.
     */
    public boolean harms() {
        return switch (action) {
            case IMPAIR -> number("loss") >= HARMFUL_LOSS_PERCENT || number("delay") >= HARMFUL_CABLE_MS;
            case SLOW_DISK -> number("delay") >= HARMFUL_DISK_MS;
            default -> action.harms();
        };
    }

    /** 0 if there is none. */
    public long number(String name) {
        return Long.parseLong(arguments.getOrDefault(name, "0"));
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
                        .append(arguments.get(name).replace(SETTINGS_DELIMITER, ", "))
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
