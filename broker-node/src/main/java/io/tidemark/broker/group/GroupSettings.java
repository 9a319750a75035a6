package io.tidemark.broker.group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;

/** What the broker's properties say about groups, under Kafka's keys and with Kafka's defaults and limits. */
public final class GroupSettings {
    private static final String PROTOCOLS = "group.coordinator.rebalance.protocols";
    private static final ConfigDef KEYS = new ConfigDef(GroupCoordinatorConfig.CONFIG_DEF);

    static {
        // The coordinator asks for these too, though there are no share groups here.
        ShareGroupConfig.CONFIG_DEF.configKeys().values().forEach(key -> {
            if (!KEYS.configKeys().containsKey(key.name)) {
                KEYS.define(key);
            }
        });
    }

    private final Map<String, String> given;
    private final GroupCoordinatorConfig coordinator;
    private final ShareGroupConfig share;
    private final boolean consumerProtocol;

    /** Throws Kafka's ConfigException or IllegalArgumentException, which name the key, for what Kafka would refuse. */
    public GroupSettings(Map<String, String> given) {
        this.given = Map.copyOf(given);
        AbstractConfig parsed = new AbstractConfig(KEYS, new HashMap<>(given), false);
        this.coordinator = new GroupCoordinatorConfig(parsed);
        this.share = new ShareGroupConfig(parsed);
        List<String> protocols = parsed.getList(PROTOCOLS);
        if (!protocols.contains("classic")) {
            throw new IllegalArgumentException(PROTOCOLS + " must contain classic");
        }
        this.consumerProtocol = protocols.contains("consumer");
    }

    /** Whether groups may use the consumer protocol. */
    boolean consumerProtocol() {
        return consumerProtocol;
    }

    GroupCoordinatorConfig coordinator() {
        return coordinator;
    }

    ShareGroupConfig share() {
        return share;
    }

    GroupConfigManager configManager() {
        return new GroupConfigManager(coordinator.extractGroupConfigMap(share), coordinator, share);
    }

    /** The value that the broker's properties give that key; null if they do not. */
    String given(String key) {
        return given.get(key);
    }

    /** Default of a key as text, such as {@code group.min.session.timeout.ms}; null if there is no such key. */
    public static String defaultOf(String key) {
        ConfigDef.ConfigKey definition = KEYS.configKeys().get(key);
        return definition == null ? null : ConfigDef.convertToString(definition.defaultValue, definition.type);
    }
}
