package io.tidemark.model.config;

/**
 * Elections that the acting controller holds from time to time; times in milliseconds.
 *
 * @param autoRebalance {@code auto.leader.rebalance.enable}: whether leadership goes back to the first replica by itself
 * @param imbalanceCheckIntervalMs from {@code leader.imbalance.check.interval.seconds}: how often that is looked at
 * @param uncleanIntervalMs {@code unclean.leader.election.interval.ms}: how often partitions are looked for that nobody
 *     leads and that anybody may
 * @param isolationFailover {@code leader.isolation.failover.enable}: whether a leader that would be alone in sync, while the
 *     controller hears the others, loses the partition to one of them
 */
public record LeadershipConfig(
        boolean autoRebalance, long imbalanceCheckIntervalMs, long uncleanIntervalMs, boolean isolationFailover) {
    static LeadershipConfig read(ConfigReader reader) {
        return new LeadershipConfig(
                reader.flag("auto.leader.rebalance.enable", true),
                1_000L * reader.integer("leader.imbalance.check.interval.seconds", 300, 1, 1_000_000),
                reader.number("unclean.leader.election.interval.ms", 300_000, 1, Integer.MAX_VALUE),
                reader.flag("leader.isolation.failover.enable", false));
    }
}
