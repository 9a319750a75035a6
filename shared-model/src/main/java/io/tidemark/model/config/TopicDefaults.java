package io.tidemark.model.config;

/**
 * What a topic gets when its creator does not say.
 *
 * @param partitions 1 or more
 * @param replicationFactor 1 to 32767
 * @param minInsyncReplicas 1 or more; the cluster's value for topics without their own
 */
public record TopicDefaults(int partitions, int replicationFactor, int minInsyncReplicas) {
    static TopicDefaults read(ConfigReader reader) {
        return new TopicDefaults(
                reader.integer("num.partitions", 1, 1, 1_000_000),
                reader.integer("default.replication.factor", 1, 1, Short.MAX_VALUE),
                reader.integer("min.insync.replicas", 1, 1, Short.MAX_VALUE));
    }
}
