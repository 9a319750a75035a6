package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How far a topic lets an election go when nobody is known to hold all that was acknowledged: {@code
 * unclean.recovery.strategy} (B1).
 *
 * <pre>
 *   none         wait for an operator
 *   balanced     once all of the last ISR and ELR have reported, the best of them: waiting brings nothing better
 *   aggressive   the best of who is there now
 * </pre>
 *
 * The topic's own strategy counts, else its own {@code unclean.leader.election.enable}, else the cluster's strategy, else the
 * cluster's {@code unclean.leader.election.enable}. True stands for aggressive; false for the cluster's strategy, but never
 * for aggressive. The default is balanced.
 */
final class RecoveryStrategy {
    static final String KEY = "unclean.recovery.strategy";
    static final String UNCLEAN_KEY = "unclean.leader.election.enable";
    /** As values are compared: without regard to case. */
    static final Predicate<String> LEGAL = value -> mode(value) != null;

    private RecoveryStrategy() {}

    /** The mode of elections of that partition (R7.35). */
    static LeaderElection.Mode of(ClusterImage image, PartitionId id) {
        Map<String, String> cluster = image.configs(ConfigResource.CLUSTER_DEFAULT);
        Map<String, String> topic =
                image.configs(ConfigResource.topic(image.topic(id.topicId()).name()));
        LeaderElection.Mode own = mode(topic.get(KEY));
        if (own != null) {
            return own;
        }
        LeaderElection.Mode common = mode(cluster.get(KEY));
        String unclean = topic.get(UNCLEAN_KEY);
        if (unclean == null && common != null) {
            return common;
        }
        if ("true".equals(unclean == null ? cluster.get(UNCLEAN_KEY) : unclean)) {
            return LeaderElection.Mode.AGGRESSIVE;
        }
        return common == LeaderElection.Mode.ONLINE ? common : LeaderElection.Mode.BALANCED;
    }

    private static LeaderElection.Mode mode(String strategy) {
        if (strategy == null) {
            return null;
        }
        return switch (strategy.toLowerCase(Locale.ROOT)) {
            case "none" -> LeaderElection.Mode.ONLINE;
            case "balanced" -> LeaderElection.Mode.BALANCED;
            case "aggressive" -> LeaderElection.Mode.AGGRESSIVE;
            default -> null;
        };
    }
}
