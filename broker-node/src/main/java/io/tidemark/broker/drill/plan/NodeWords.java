package io.tidemark.broker.drill.plan;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which nodes a step means: {@code leader of T-P}, {@code follower of T-P} (the first one in the ISR), {@code followers
 * of T-P}, {@code replicas of T-P}, {@code acting controller}, {@code other controllers}, {@code all brokers},
 * {@code all controllers}, {@code all nodes}, a node id, or a name that an earlier step gave.
 */
public record NodeWords(Kind kind, String argument) {
    private static final Pattern OF =
            Pattern.compile("(leader|follower|followers|replicas) of ([A-Za-z0-9._-]+-[0-9]+)");

    /** What the argument is: a partition, a node id, a name, or nothing. */
    public enum Kind {
        LEADER,
        FOLLOWER,
        FOLLOWERS,
        REPLICAS,
        ACTING_CONTROLLER,
        OTHER_CONTROLLERS,
        ALL_BROKERS,
        ALL_CONTROLLERS,
        ALL_NODES,
        ID,
        NAME
    }

    /**
     * @param names given by earlier steps
     * @return null if these words mean nothing
     */
    public static NodeWords of(String words, Set<String> names) {
        if (names.contains(words)) {
            return new NodeWords(Kind.NAME, words);
        }
        if (words.matches("[0-9]{1,9}")) {
            return new NodeWords(Kind.ID, words);
        }
        Matcher of = OF.matcher(words);
        if (of.matches()) {
            Kind kind = switch (of.group(1)) {
                case "leader" -> Kind.LEADER;
                case "follower" -> Kind.FOLLOWER;
                case "followers" -> Kind.FOLLOWERS;
                default -> Kind.REPLICAS;
            };
            return new NodeWords(kind, of.group(2));
        }
        return switch (words) {
            case "acting controller" -> new NodeWords(Kind.ACTING_CONTROLLER, "");
            case "other controllers" -> new NodeWords(Kind.OTHER_CONTROLLERS, "");
            case "all brokers" -> new NodeWords(Kind.ALL_BROKERS, "");
            case "all controllers" -> new NodeWords(Kind.ALL_CONTROLLERS, "");
            case "all nodes" -> new NodeWords(Kind.ALL_NODES, "");
            default -> null;
        };
    }
}
