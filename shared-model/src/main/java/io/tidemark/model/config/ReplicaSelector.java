package io.tidemark.model.config;

import java.util.Arrays;
import java.util.stream.Collectors;

/** From which replica consumers are to read ({@code replica.selector.class}), by the names of Kafka's classes. */
public enum ReplicaSelector {
    /** Always from the leader. */
    LEADER(""),
    /** From one in the consumer's own rack, if it says where it stands (R4.40). */
    RACK_AWARE("org.apache.kafka.common.replica.RackAwareReplicaSelector");

    private final String className;

    ReplicaSelector(String className) {
        this.className = className;
    }

    /** Empty for the leader. */
    public String className() {
        return className;
    }

    static ReplicaSelector read(ConfigReader reader) {
        return reader.value("replica.selector.class", LEADER, ReplicaSelector::parse);
    }

    private static ReplicaSelector parse(String text) {
        return Arrays.stream(values())
                .filter(selector -> selector.className.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("expected nothing or "
                        + Arrays.stream(values())
                                .map(ReplicaSelector::className)
                                .filter(name -> !name.isEmpty())
                                .collect(Collectors.joining(" or "))));
    }
}
