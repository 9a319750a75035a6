package io.tidemark.model.config;

/**
 * What a broker does when a client names a topic that does not exist. What its own configuration does not say is left to
 * the controllers' defaults.
 *
 * @param enabled whether it has the topic created
 * @param partitions 1 or more; -1 for the controllers' default
 * @param replicationFactor 1 to 32767; -1 for the controllers' default
 */
public record AutoTopicCreation(boolean enabled, int partitions, int replicationFactor) {
    private static final int UNSAID = -1;

    static AutoTopicCreation read(ConfigReader reader, TopicDefaults defaults) {
        return new AutoTopicCreation(
                reader.flag("auto.create.topics.enable", true),
                reader.has("num.partitions") ? defaults.partitions() : UNSAID,
                reader.has("default.replication.factor") ? defaults.replicationFactor() : UNSAID);
    }
}
