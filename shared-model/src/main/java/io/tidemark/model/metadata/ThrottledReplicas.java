package io.tidemark.model.metadata;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The partitions of a topic whose replication from, or to, one broker is held to that broker's rate (R4.23).
 *
 * @param all every partition, whatever {@code partitions} says
 */
public record ThrottledReplicas(boolean all, Set<Integer> partitions) {
    /** A topic's keys: what leaders send and what followers ask for. */
    public static final String LEADER_KEY = "leader.replication.throttled.replicas";

    public static final String FOLLOWER_KEY = "follower.replication.throttled.replicas";
    /** A broker's keys: bytes a second, zero or more; without a value nothing is held back. */
    public static final String LEADER_RATE_KEY = "leader.replication.throttled.rate";

    public static final String FOLLOWER_RATE_KEY = "follower.replication.throttled.rate";

    public static final ThrottledReplicas NONE = new ThrottledReplicas(false, Set.of());
    private static final ThrottledReplicas ALL = new ThrottledReplicas(true, Set.of());
    private static final String EVERY_REPLICA = "*";
    private static final Pattern ITEM = Pattern.compile("\\d{1,9}:\\d{1,9}");

    public ThrottledReplicas {
        partitions = Set.copyOf(partitions);
    }

    public boolean contains(int partition) {
        return all || partitions.contains(partition);
    }

    /** Whether a topic may carry this value: {@code *}, or a list of partition:broker, which may be empty. */
    public static boolean legal(String value) {
        String list = value.strip();
        if (list.isEmpty() || list.equals(EVERY_REPLICA)) {
            return true;
        }
        // Item by item: one pattern for the whole list takes a stack that grows with it.
        for (String item : list.split("\\s*,\\s*", -1)) {
            if (!ITEM.matcher(item).matches()) {
                return false;
            }
        }
        return true;
    }

    /** What a legal value, or none, means for that broker. */
    public static ThrottledReplicas of(String value, int brokerId) {
        if (value == null || value.isBlank()) {
            return NONE;
        }
        if (value.strip().equals(EVERY_REPLICA)) {
            return ALL;
        }
        Set<Integer> partitions = new HashSet<>();
        for (String item : value.strip().split("\\s*,\\s*", -1)) {
            int colon = item.indexOf(':');
            if (Integer.parseInt(item.substring(colon + 1)) == brokerId) {
                partitions.add(Integer.parseInt(item.substring(0, colon)));
            }
        }
        return partitions.isEmpty() ? NONE : new ThrottledReplicas(false, partitions);
    }
}
