package io.tidemark.quorum.core;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The configuration keys that a consumer group may carry, and what their values may be. The brokers' limits on them are
 * the brokers' to check: they are in their files.
 */
final class GroupConfigs {
    private static final Predicate<String> POSITIVE_INT = value -> number(value) >= 1;
    private static final Predicate<String> NOT_NEGATIVE_INT = value -> number(value) >= 0;
    private static final Predicate<String> BOOLEAN = Set.of("true", "false")::contains;

    private static final Map<String, Predicate<String>> KEYS = Map.of(
            "consumer.assignment.interval.ms", NOT_NEGATIVE_INT,
            "consumer.assignor.offload.enable", BOOLEAN,
            "consumer.heartbeat.interval.ms", POSITIVE_INT,
            "consumer.session.timeout.ms", POSITIVE_INT);

    private GroupConfigs() {}

    /** The first thing wrong with a group's configuration, by key, or null. */
    static String problem(Map<String, String> configs) {
        for (Map.Entry<String, String> config : new TreeMap<>(configs).entrySet()) {
            Predicate<String> legal = KEYS.get(config.getKey());
            if (legal == null) {
                return "unknown group config name: " + config.getKey();
            }
            if (!legal.test(config.getValue())) {
                return "invalid value " + config.getValue() + " for configuration " + config.getKey();
            }
        }
        return null;
    }

    /** -1 for what is no number. */
    private static int number(String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
