package io.tidemark.model.config;

/**
 * An endpoint of a broker.
 *
 * @param name upper-case listener name
 * @param host where bound: empty for all interfaces; where advertised: never empty
 * @param port 0 to 65535; 0 lets the system choose, and in an advertised listener means the port that was chosen
 */
public record Listener(String name, SecurityProtocol protocol, String host, int port) {
    /** {@code NAME://host:port}, as in the configuration. */
    @Override
    public String toString() {
        return name + "://" + new HostPort(host, port);
    }
}
