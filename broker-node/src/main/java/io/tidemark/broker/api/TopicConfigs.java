package io.tidemark.broker.api;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * The configuration keys of topics with Kafka's types, defaults and rules, and where a topic's effective value comes
 * from: its own, this broker's dynamic one, the cluster's default, this broker's file, the default. The adapter of
 * Kafka's log configuration classes.
 */
final class TopicConfigs {
    /** B1: a key that Kafka's classes do not know; its values are the controllers' to judge. */
    private static final String RECOVERY_STRATEGY = "unclean.recovery.strategy";

    private static final String RECOVERY_STRATEGY_TEXT =
            "Who leads when no replica provably has all that was exposed: nobody (none), the best of all members of the last ISR"
                    + " and ELR once each has reported (balanced), or the best of those that are there (aggressive).";

    private final int brokerId;
    private final Map<String, String> brokerConfig;

    /** {@code brokerConfig} under the brokers' keys, such as log.retention.hours for retention.ms. */
    TopicConfigs(int brokerId, Map<String, String> brokerConfig) {
        this.brokerId = brokerId;
        this.brokerConfig = brokerConfig;
    }

    /** A value and where it was set, under the key it was set with. */
    record Origin(String key, String value, ConfigSource source) {}

    /** A key with its values, the effective one first. */
    record Value(String key, ConfigDef.Type type, String documentation, List<Origin> origins) {
        String effective() {
            return origins.get(0).value();
        }

        ConfigSource source() {
            return origins.get(0).source();
        }
    }

    /** What is wrong with the configuration of a new topic, or null: an unknown key, a value that is out of its range. */
    static String problem(Map<String, String> configs) {
        for (Map.Entry<String, String> config : configs.entrySet()) {
            if (config.getValue() == null) {
                return "no value for " + config.getKey();
            }
        }
        if (Boolean.parseBoolean(configs.get(TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG))) {
            return TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG + ": there is no tiered storage";
        }
        try {
            Map<String, String> kafkas = new HashMap<>(configs);
            kafkas.remove(RECOVERY_STRATEGY);
            LogConfig.validate(kafkas);
            return null;
        } catch (ConfigException | InvalidConfigurationException e) {
            return e.getMessage();
        }
    }

    /** All keys that a topic whose own configuration is {@code own} has, by name; Kafka's keys for tests if they are set. */
    List<Value> effective(Map<String, String> own, ClusterImage image) {
        Map<String, String> dynamic = image.configs(ConfigResource.broker(brokerId));
        Map<String, String> clusterDefault = image.configs(ConfigResource.CLUSTER_DEFAULT);
        List<Value> values = new ArrayList<>();
        Set<String> keys = new TreeSet<>(LogConfig.nonInternalConfigNames());
        own.keySet().stream().filter(LogConfig.configKeys()::containsKey).forEach(keys::add);
        for (String key : keys) {
            ConfigDef.ConfigKey definition = LogConfig.configKeys().get(key);
            List<Origin> origins = new ArrayList<>();
            if (own.get(key) != null) {
                origins.add(new Origin(key, own.get(key), ConfigSource.TOPIC_CONFIG));
            }
            addBroker(origins, key, dynamic, ConfigSource.DYNAMIC_BROKER_CONFIG);
            addBroker(origins, key, clusterDefault, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
            addBroker(origins, key, brokerConfig, ConfigSource.STATIC_BROKER_CONFIG);
            String fallback = ConfigDef.convertToString(definition.defaultValue, definition.type);
            origins.add(new Origin(brokerKey(key), fallback, ConfigSource.DEFAULT_CONFIG));
            values.add(new Value(key, definition.type, definition.documentation, origins));
        }
        if (own.get(RECOVERY_STRATEGY) != null) {
            List<Origin> origins = new ArrayList<>();
            origins.add(new Origin(RECOVERY_STRATEGY, own.get(RECOVERY_STRATEGY), ConfigSource.TOPIC_CONFIG));
            String fallback = clusterDefault.get(RECOVERY_STRATEGY);
            if (fallback != null) {
                origins.add(new Origin(RECOVERY_STRATEGY, fallback, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG));
            }
            values.add(new Value(RECOVERY_STRATEGY, ConfigDef.Type.STRING, RECOVERY_STRATEGY_TEXT, origins));
        }
        return values;
    }

    private static void addBroker(
            List<Origin> origins, String topicKey, Map<String, String> values, ConfigSource source) {
        for (ConfigSynonym synonym : synonyms(topicKey)) {
            String value = values.get(synonym.name());
            if (value != null) {
                origins.add(new Origin(synonym.name(), synonym.converter().apply(value), source));
            }
        }
    }

    private static String brokerKey(String topicKey) {
        List<ConfigSynonym> synonyms = synonyms(topicKey);
        return synonyms.isEmpty() ? topicKey : synonyms.get(0).name();
    }

    private static List<ConfigSynonym> synonyms(String topicKey) {
        return ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.getOrDefault(topicKey, List.of());
    }
}
