package io.tidemark.broker.log;

import java.util.Optional;

/** A partition by topic name, as directories and checkpoint files name it. */
public record LogName(String topic, int partition) implements Comparable<LogName> {
    /** Reads {@code <topic>-<partition>}; empty for any other name. */
    public static Optional<LogName> parse(String directoryName) {
        int dash = directoryName.lastIndexOf('-');
        if (dash < 1 || !directoryName.substring(dash + 1).matches("\\d{1,9}")) {
            return Optional.empty();
        }
        LogName name =
                new LogName(directoryName.substring(0, dash), Integer.parseInt(directoryName.substring(dash + 1)));
        return name.toString().equals(directoryName) ? Optional.of(name) : Optional.empty();
    }

    @Override
    public int compareTo(LogName other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
