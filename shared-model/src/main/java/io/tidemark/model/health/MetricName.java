package io.tidemark.model.health;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * One metric under Kafka's MBean name, {@code group:type=T,name=N,key=value,...}, of which the Prometheus name follows
 * (R9.15).
 *
 * @param group the domain, such as {@code kafka.server}
 * @param name a name that ends in {@code PerSec} is that of a meter
 * @param tags further keys in order
 */
public record MetricName(String group, String type, String name, Map<String, String> tags) {
    private static final Pattern PLAIN = Pattern.compile("[\\w.-]*");

    public MetricName {
        // In order: what is read from a map in any order would give other texts every time.
        tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
    }

    public static MetricName of(String group, String type, String name) {
        return new MetricName(group, type, name, Map.of());
    }

    /** With one more tag. */
    public MetricName with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(tags);
        more.put(key, String.valueOf(value));
        return new MetricName(group, type, name, more);
    }

    /** As Kafka registers it; values that JMX cannot have as they are stand in quotes. */
    public ObjectName objectName() {
        StringBuilder text = new StringBuilder(group)
                .append(":type=")
                .append(type)
                .append(",name=")
                .append(name);
        tags.forEach((key, value) -> text.append(',')
                .append(key)
                .append('=')
                .append(PLAIN.matcher(value).matches() ? value : ObjectName.quote(value)));
        try {
            return new ObjectName(text.toString());
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException("no MBean name: " + text, e);
        }
    }

    /** As the customary rules for Kafka's exporter make it: lower case; {@code PerSec} becomes {@code _total}. */
    public String prometheusName() {
        boolean meter = name.endsWith("PerSec");
        String plain = meter ? name.substring(0, name.length() - "PerSec".length()) : name;
        String joined = (group + "_" + type + "_" + plain).replaceAll("[^A-Za-z0-9_]", "_");
        return joined.toLowerCase(Locale.ROOT) + (meter ? "_total" : "");
    }
}
