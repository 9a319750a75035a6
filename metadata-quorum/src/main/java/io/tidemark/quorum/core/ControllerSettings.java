package io.tidemark.quorum.core;

import io.tidemark.model.Check;

/**
 * Values that decisions depend on and that do not change while a controller runs.
 *
 * @param defaultPartitions of a topic created without a count, 1 or more
 * @param defaultReplicationFactor of a topic created without one, 1 or more
 * @param maxPartitionsPerRequest partitions that one request may create (R7.80)
 * @param topicDeletion whether topics may be deleted (R7.81)
 * @param leaderIsolationFailover whether a leader that is about to be alone in sync loses the partition to one of the
 *     others, if they are there (B13)
 */
public record ControllerSettings(
        String clusterId,
        int defaultPartitions,
        int defaultReplicationFactor,
        int maxPartitionsPerRequest,
        boolean topicDeletion,
        boolean leaderIsolationFailover) {
    public static final int MAX_PARTITIONS_PER_REQUEST = 10_000;

    public ControllerSettings {
        Check.that(defaultPartitions >= 1, "default partitions below 1");
        Check.that(defaultReplicationFactor >= 1, "default replication factor below 1");
        Check.that(maxPartitionsPerRequest >= 1, "partitions per request below 1");
    }

    public ControllerSettings(String clusterId, int defaultPartitions, int defaultReplicationFactor) {
        this(clusterId, defaultPartitions, defaultReplicationFactor, MAX_PARTITIONS_PER_REQUEST, true, false);
    }
}
