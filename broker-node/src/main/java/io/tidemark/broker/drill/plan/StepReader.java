package io.tidemark.broker.drill.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads the steps of a drill, which may speak only of nodes and partitions that the drill has. */
final class StepReader {
    private static final Set<String> COMMON = Set.of("at", "do", "node", "as");
    private static final long MOST_DELAY_MS = 10_000;
    private static final long MOST_JUMP_MS = 1_000_000_000;

    private final ClusterPlan cluster;
    private final Set<String> names = new HashSet<>();

    StepReader(ClusterPlan cluster) {
        this.cluster = cluster;
    }

    List<Step> read(YamlNode node) {
        List<Step> steps = new ArrayList<>();
        long before = 0;
        for (YamlNode item : node.items()) {
            Step step = step(item);
            if (step.atMs() < before) {
                throw item.wrong("steps stand in the order of their times");
            }
            before = step.atMs();
            steps.add(step);
        }
        return steps;
    }

    private Step step(YamlNode item) {
        Map<String, YamlNode> fields = item.fields();
        YamlNode key = DrillReader.required(item, fields, "do");
        Action action = Action.of(key.text())
                .orElseThrow(() -> key.wrong("there is no action " + key.text() + ", but: " + all()));
        checkNames(item, action, fields);
        String node = fields.containsKey("node") ? nodes(fields.get("node")) : "";
        if (action.takesNodes() == node.isEmpty()) {
            throw item.wrong(action.key() + (node.isEmpty() ? " needs a node" : " takes no node"));
        }
        Map<String, String> arguments = new HashMap<>();
        for (String name : action.allowed()) {
            if (fields.containsKey(name)) {
                arguments.put(name, argument(name, fields.get(name)));
            } else if (action.required().contains(name)) {
                throw item.wrong(action.key() + " needs " + name);
            }
        }
        if (action == Action.AWAIT) {
            checkAwait(item, arguments);
        }
        checkNodes(item, action, node, arguments);
        String as = fields.containsKey("as") ? name(fields.get("as"), action) : "";
        if (action == Action.NOTE && as.isEmpty()) {
            throw item.wrong("note needs as");
        }
        if (!as.isEmpty()) {
            names.add(as);
        }
        return new Step(
                DrillReader.required(item, fields, "at").durationMs(), action, node, as, arguments, item.line());
    }

    /** A name may be given again, but must not take the place of words that mean nodes anyway. */
    private static String name(YamlNode node, Action action) {
        if (!action.takesNodes()) {
            throw node.wrong(action.key() + " is done to no nodes that could have a name");
        }
        if (NodeWords.of(node.text(), Set.of()) != null) {
            throw node.wrong("\"" + node.text() + "\" means nodes already and cannot be a name");
        }
        return node.text();
    }

    private static void checkAwait(YamlNode item, Map<String, String> arguments) {
        String until = arguments.get("until");
        boolean ofOne = !until.equals("full-isr") && !until.equals("acks");
        if (ofOne && !arguments.containsKey("partition")) {
            throw item.wrong("await " + until + " needs partition");
        }
        if (until.equals("isr-size") != arguments.containsKey("size")) {
            throw item.wrong("size belongs to await isr-size, and only there");
        }
    }

    /** What not every node has: a cable to the brokers, a disk that can be slowed. */
    private void checkNodes(YamlNode item, Action action, String node, Map<String, String> arguments) {
        boolean controllers = !node.isEmpty() && takesInControllers(node);
        if (controllers && arguments.getOrDefault("from", "").contains("brokers")) {
            throw item.wrong("a controller has no cable to the brokers");
        }
        boolean byId = node.matches("[0-9]+");
        if (action == Action.SLOW_DISK && !byId && controllers) {
            throw item.wrong("slow-disk is for brokers, and for a controller that is named by its id");
        }
        if (action == Action.FILL_DISK
                && (byId
                        ? !cluster.diskMb().containsKey(Integer.valueOf(node))
                        : cluster.diskMb().isEmpty())) {
            throw item.wrong("fill-disk is for a node that cluster.disks gives a small disk");
        }
        if (action == Action.CUT && arguments.get("way").equals("both")) {
            throw item.wrong("cut is for one way, in or out: unplug is for both");
        }
        if (action == Action.IMPAIR && !arguments.containsKey("delay") && !arguments.containsKey("loss")) {
            throw item.wrong("impair needs delay, loss, or both");
        }
    }

    /** Of nodes with a name it is seen only when the step is done. */
    private boolean takesInControllers(String node) {
        NodeWords words = NodeWords.of(node, names);
        return switch (words.kind()) {
            case ID -> Integer.parseInt(words.argument()) >= ClusterPlan.FIRST_CONTROLLER;
            case ACTING_CONTROLLER, OTHER_CONTROLLERS, ALL_CONTROLLERS, ALL_NODES -> true;
            default -> false;
        };
    }

    private static void checkNames(YamlNode item, Action action, Map<String, YamlNode> fields) {
        Set<String> allowed = new TreeSet<>(COMMON);
        allowed.addAll(action.allowed());
        fields.forEach((name, value) -> {
            if (!allowed.contains(name)) {
                throw value.wrong(action.key() + " takes no " + name + ", but: " + String.join(", ", allowed));
            }
        });
    }

    private static String all() {
        List<String> keys = new ArrayList<>();
        for (Action action : Action.values()) {
            keys.add(action.key());
        }
        return String.join(", ", keys);
    }

    private String nodes(YamlNode node) {
        NodeWords words = NodeWords.of(node.text(), names);
        if (words == null) {
            throw node.wrong("no node is meant by \"" + node.text() + "\"");
        }
        switch (words.kind()) {
            case LEADER, FOLLOWER, FOLLOWERS, REPLICAS -> partition(node, words.argument());
            case ID -> {
                int id = Integer.parseInt(words.argument());
                boolean broker = id >= 1 && id <= cluster.brokers();
                boolean controller =
                        id >= ClusterPlan.FIRST_CONTROLLER && id < ClusterPlan.FIRST_CONTROLLER + cluster.controllers();
                if (!broker && !controller) {
                    throw node.wrong("there is no node " + id);
                }
            }
            default -> {}
        }
        return node.text();
    }

    private String argument(String name, YamlNode value) {
        switch (name) {
            case "partition" -> {
                return partition(value, value.text());
            }
            case "to" -> {
                return DrillReader.replicas(value, cluster.brokers()).stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(","));
            }
            case "set" -> {
                return settings(value);
            }
            case "topic" -> {
                if (cluster.topics().stream().noneMatch(topic -> topic.name().equals(value.text()))) {
                    throw value.wrong("the drill has no topic " + value.text());
                }
                return value.text();
            }
            case "file" -> {
                if (value.text().startsWith("/")
                        || List.of(value.text().split("/")).contains("..")) {
                    throw value.wrong("a file is named relative to the node's directory");
                }
                return value.text();
            }
            case "size" -> {
                return Long.toString(value.number(0, 100));
            }
            case "within" -> {
                return Long.toString(value.durationMs());
            }
            case "from" -> {
                return oneOf(value, "controllers", "brokers", "other-brokers");
            }
            case "way" -> {
                return oneOf(value, "in", "out", "both");
            }
            case "delay" -> {
                return Long.toString(bounded(value, value.durationMs(), 1, MOST_DELAY_MS, "1ms to 10s"));
            }
            case "loss" -> {
                // A cable that loses everything is a cut.
                return Long.toString(value.number(1, 99));
            }
            case "by" -> {
                return Long.toString(
                        bounded(value, value.signedDurationMs(), -MOST_JUMP_MS, MOST_JUMP_MS, "-1000000s to 1000000s"));
            }
            case "type" -> {
                return oneOf(value, "preferred", "unclean");
            }
            case "until" -> {
                return oneOf(value, "full-isr", "no-leader", "new-leader", "isr-size", "acks", "moved");
            }
            default -> throw value.wrong("unknown argument " + name);
        }
    }

    /** One in each line, since a value may be a list with commas. */
    private static String settings(YamlNode value) {
        if (value.texts().isEmpty()) {
            throw value.wrong("set needs a key and a value");
        }
        return value.texts().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(Step.SETTINGS_DELIMITER));
    }

    private static long bounded(YamlNode value, long found, long least, long most, String words) {
        if (found < least || found > most) {
            throw value.wrong("it has to be from " + words);
        }
        return found;
    }

    private static String oneOf(YamlNode value, String... words) {
        if (!List.of(words).contains(value.text())) {
            throw value.wrong("it has to be one of: " + String.join(", ", words));
        }
        return value.text();
    }

    private String partition(YamlNode node, String name) {
        int dash = name.lastIndexOf('-');
        boolean known = dash > 0
                && name.substring(dash + 1).matches("[0-9]{1,4}")
                && cluster.topics().stream()
                        .anyMatch(topic -> topic.name().equals(name.substring(0, dash))
                                && topic.assignment().size() > Integer.parseInt(name.substring(dash + 1)));
        if (!known) {
            throw node.wrong("the drill has no partition " + name);
        }
        return name;
    }
}
