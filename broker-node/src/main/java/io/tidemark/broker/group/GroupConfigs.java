package io.tidemark.broker.group;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What single consumer groups are configured to by request, over what the broker's file says of all: Kafka's rules for
 * it, and the way of it to the coordinator.
 */
public final class GroupConfigs {
    private static final Logger LOG = LoggerFactory.getLogger(GroupConfigs.class);
    /** The keys of groups of other kinds are Kafka's too, but there are no such groups here. */
    private static final String PREFIX = "consumer.";

    private final GroupSettings settings;
    private final GroupConfigManager manager;
    private Map<String, Map<String, String>> followed = Map.of();
    private Object last;

    public GroupConfigs(GroupSettings settings) {
        this.settings = settings;
        this.manager = settings.configManager();
    }

    GroupConfigManager manager() {
        return manager;
    }

    /**
     * A key of a group.
     *
     * @param brokers what is in force if the group does not say and the broker's properties do, else null
     * @param standard what is in force if nobody says
     * @param brokerKey the broker's key for all groups, or {@code name} if there is none
     */
    public record Key(
            String name,
            ConfigDef.Type type,
            String documentation,
            String brokers,
            String standard,
            String brokerKey) {}

    /** All keys, by name. */
    public List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        new TreeMap<>(GroupConfig.CONFIG_DEF.configKeys()).forEach((name, definition) -> {
            if (name.startsWith(PREFIX)) {
                String brokerKey = GroupConfig.brokerSynonym(name).orElse(name);
                String standard = GroupSettings.defaultOf(brokerKey);
                keys.add(new Key(
                        name,
                        definition.type,
                        definition.documentation,
                        settings.given(brokerKey),
                        standard != null
                                ? standard
                                : ConfigDef.convertToString(definition.defaultValue, definition.type),
                        brokerKey));
            }
        });
        return keys;
    }

    /** Why a group may not have this configuration as a whole: by Kafka's rules and this broker's limits. */
    public Optional<String> problem(Map<String, String> whole) {
        for (String key : whole.keySet()) {
            if (!key.startsWith(PREFIX)) {
                return Optional.of("Unknown group config name: " + key);
            }
        }
        try {
            GroupConfig.validate(new HashMap<>(whole), settings.coordinator(), settings.share());
            return Optional.empty();
        } catch (ConfigException | InvalidConfigurationException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Hands on what differs from the image before; on the thread that publishes. */
    void follow(ClusterImage newer) {
        if (newer.configs() == last) {
            return;
        }
        last = newer.configs();
        Map<String, Map<String, String>> now = new HashMap<>();
        newer.configs().forEach((resource, values) -> {
            if (resource.type() == ConfigResource.Type.GROUP && !values.isEmpty()) {
                now.put(resource.name(), Map.copyOf(values));
            }
        });
        Set<String> groups = new HashSet<>(now.keySet());
        groups.addAll(followed.keySet());
        for (String group : groups) {
            Map<String, String> values = now.getOrDefault(group, Map.of());
            if (!values.equals(followed.get(group))) {
                update(group, values);
            }
        }
        followed = now;
    }

    /** Another broker's limits may have let pass what this one's do not. */
    private void update(String group, Map<String, String> values) {
        Properties properties = new Properties();
        properties.putAll(values);
        try {
            manager.updateGroupConfig(group, properties);
        } catch (RuntimeException e) {
            LOG.warn("the configuration {} of group {} cannot be used: {}", values, group, e.toString());
        }
    }
}
