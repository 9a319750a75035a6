package io.tidemark.model.config;

/**
 * Where a node tells over HTTP how it is.
 *
 * @param host to listen on; empty for every interface
 * @param port 0 for any that is free, -1 for none
 * @param partitionBeans whether the metrics of single partitions are MBeans, too
 */
public record HealthConfig(String host, int port, boolean partitionBeans) {
    /** The port is this far above the one the node serves on, where none is given. */
    public static final int DISTANCE = 1_000;

    private static final int HIGHEST = 65_535;

    public boolean enabled() {
        return port >= 0;
    }

    /**
     * @param host and {@code port} that the node serves on; 0 for any free port
     */
    static HealthConfig read(ConfigReader reader, String host, int port) {
        int fallback = port == 0 ? 0 : port + DISTANCE;
        int chosen = reader.integer("health.port", fallback, -1, HIGHEST);
        if (chosen > HIGHEST) {
            reader.problem("health.port is missing: by default it is " + DISTANCE + " above the listener's port, "
                    + port + ", and that is too high");
        }
        return new HealthConfig(
                reader.has("health.host") ? reader.text("health.host") : host,
                chosen,
                reader.flag("health.partition.mbeans", true));
    }
}
