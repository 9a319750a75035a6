package io.tidemark.model.metadata;

import io.tidemark.model.WholeNumbers;
import io.tidemark.model.config.AddressCounts;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What of a broker can be changed while it runs, besides what topics fall back to ({@link BrokerDefaults}): under Kafka's
 * keys, for one broker or, by the cluster's default, for all. Without a value the broker's file holds.
 */
public final class BrokerKeys {
    /** Open connections of the process, 1 or more. */
    public static final String CONNECTIONS = "max.connections";
    /** Open connections from one client address; 0 shuts out whoever has no override. */
    public static final String CONNECTIONS_PER_IP = "max.connections.per.ip";

    public static final String CONNECTIONS_PER_IP_OVERRIDES = "max.connections.per.ip.overrides";
    /** Connections accepted a second, 1 or more. */
    public static final String CONNECTION_RATE = "max.connection.creation.rate";
    /** Milliseconds after which a silent producer is forgotten, 1 or more (R5.35). */
    public static final String PRODUCER_EXPIRATION = "producer.id.expiration.ms";

    private static final Map<String, Predicate<String>> LEGAL = Map.of(
            CONNECTIONS,
            WholeNumbers.between(1, Integer.MAX_VALUE),
            CONNECTIONS_PER_IP,
            WholeNumbers.between(0, Integer.MAX_VALUE),
            CONNECTIONS_PER_IP_OVERRIDES,
            BrokerKeys::overrides,
            CONNECTION_RATE,
            WholeNumbers.between(1, Integer.MAX_VALUE),
            PRODUCER_EXPIRATION,
            WholeNumbers.between(1, Integer.MAX_VALUE),
            ThrottledReplicas.LEADER_RATE_KEY,
            WholeNumbers.between(0, Long.MAX_VALUE),
            ThrottledReplicas.FOLLOWER_RATE_KEY,
            WholeNumbers.between(0, Long.MAX_VALUE));

    private BrokerKeys() {}

    public static boolean contains(String key) {
        return LEGAL.containsKey(key);
    }

    /** Whether one of these keys may have this value. */
    public static boolean legal(String key, String value) {
        return LEGAL.get(key).test(value);
    }

    /** What is wrong with these values of one resource together, or null. */
    public static String conflict(Map<String, String> configs) {
        boolean nobody = "0".equals(configs.get(CONNECTIONS_PER_IP))
                && configs.getOrDefault(CONNECTIONS_PER_IP_OVERRIDES, "").isBlank();
        return nobody
                ? CONNECTIONS_PER_IP + "=0 shuts everybody out unless " + CONNECTIONS_PER_IP_OVERRIDES
                        + " is set beside it"
                : null;
    }

    /** That broker's own value, else the cluster's default, else null: what its file says. */
    public static String value(ClusterImage image, int brokerId, String key) {
        String own = image.configs(ConfigResource.broker(brokerId)).get(key);
        return own != null ? own : image.configs(ConfigResource.CLUSTER_DEFAULT).get(key);
    }

    private static boolean overrides(String value) {
        try {
            AddressCounts.parse(value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
