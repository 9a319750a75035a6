package io.tidemark.model.metadata;

/** What a dynamic configuration belongs to; the broker resource with the empty name is the cluster's default. */
public record ConfigResource(Type type, String name) {
    /** Kinds of resources. */
    public enum Type {
        TOPIC,
        BROKER,
        /** A consumer group, whether it exists or not. */
        GROUP
    }

    public static final ConfigResource CLUSTER_DEFAULT = new ConfigResource(Type.BROKER, "");

    public static ConfigResource broker(int id) {
        return new ConfigResource(Type.BROKER, Integer.toString(id));
    }

    public static ConfigResource topic(String name) {
        return new ConfigResource(Type.TOPIC, name);
    }
}
