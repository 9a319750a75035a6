package io.tidemark.model.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds of connections and requests.
 *
 * @param loops {@code num.network.threads}: event loops, each owning a share of the partitions
 * @param requestMaxBytes a larger frame closes the connection
 * @param maxConnections open connections on the node; at the limit nobody is accepted until one closes
 * @param maxConnectionsPerIp open connections from one client address; more are closed at once
 * @param maxConnectionsPerIpOverrides other limits for some addresses
 * @param connectionCreationRate connections accepted per second; more wait to be accepted
 * @param maxIdleMs a connection without a request for this long is closed; -1 never closes it
 * @param maxInFlightRequests requests of one connection being worked on before it stops being read
 * @param maxInFlightBytes the same by their size; one request is always taken
 * @param fetchSessionSlots fetch sessions of consumers kept
 * @param fetchMaxBytes largest answer to a fetch, whatever the client asks; one batch is always sent
 */
public record NetworkConfig(
        int loops,
        int requestMaxBytes,
        int maxConnections,
        int maxConnectionsPerIp,
        Map<InetAddress, Integer> maxConnectionsPerIpOverrides,
        int connectionCreationRate,
        long maxIdleMs,
        int maxInFlightRequests,
        long maxInFlightBytes,
        int fetchSessionSlots,
        int fetchMaxBytes) {

    static NetworkConfig read(ConfigReader reader) {
        Map<InetAddress, Integer> overrides =
                reader.value("max.connections.per.ip.overrides", Map.<InetAddress, Integer>of(), NetworkConfig::perIp);
        // As in Kafka: 0 shuts everybody out who is not named.
        int least = overrides.isEmpty() ? 1 : 0;
        int cores = Runtime.getRuntime().availableProcessors();
        return new NetworkConfig(
                reader.integer("num.network.threads", Math.max(1, cores / 2), 1, 1_024),
                reader.integer("socket.request.max.bytes", 104_857_600, 1_024, Integer.MAX_VALUE),
                reader.integer("max.connections", Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
                reader.integer("max.connections.per.ip", Integer.MAX_VALUE, least, Integer.MAX_VALUE),
                overrides,
                reader.integer("max.connection.creation.rate", Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
                reader.number("connections.max.idle.ms", 600_000, -1, Long.MAX_VALUE),
                reader.integer("connection.max.inflight.requests", 100, 1, 100_000),
                reader.number("connection.max.inflight.bytes", 33_554_432, 1, Long.MAX_VALUE),
                reader.integer("max.incremental.fetch.session.cache.slots", 1_000, 0, Integer.MAX_VALUE),
                reader.integer("fetch.max.bytes", 57_671_680, 1_024, Integer.MAX_VALUE));
    }

    /** Hosts are looked up now. */
    private static Map<InetAddress, Integer> perIp(String text) {
        Map<InetAddress, Integer> counts = new HashMap<>();
        AddressCounts.parse(text).forEach((host, count) -> {
            try {
                counts.put(InetAddress.getByName(host), count);
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("the host " + host + " is unknown", e);
            }
        });
        return Map.copyOf(counts);
    }
}
