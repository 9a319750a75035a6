package io.tidemark.broker.net;

import java.net.InetAddress;
import java.util.Map;

/**
 * How many connections there may be, and how long.
 *
 * @param max open ones of the process ({@code max.connections}), 1 or more; at the limit nobody is accepted until one
 *     closes
 * @param maxPerAddress open ones from one client address ({@code max.connections.per.ip}), 0 or more; further ones are
 *     closed at once
 * @param perAddress other limits for some addresses ({@code max.connections.per.ip.overrides})
 * @param creationsPerSecond accepted per second ({@code max.connection.creation.rate}), 1 or more; further ones wait to
 *     be accepted
 * @param maxIdleMs one that has been silent for so long, with nothing to be done for it, is closed
 *     ({@code connections.max.idle.ms}); negative for never
 * @param protectedListener the listener that others brokers use: where there are others beside it, it accepts beyond
 *     {@code max}, and one that was silent longest on another listener is closed instead; "" for none
 */
public record ConnectionSettings(
        int max,
        int maxPerAddress,
        Map<InetAddress, Integer> perAddress,
        int creationsPerSecond,
        long maxIdleMs,
        String protectedListener) {
    public static final ConnectionSettings UNLIMITED =
            new ConnectionSettings(Integer.MAX_VALUE, Integer.MAX_VALUE, Map.of(), Integer.MAX_VALUE, -1, "");

    public ConnectionSettings {
        perAddress = Map.copyOf(perAddress);
    }

    int maxFrom(InetAddress address) {
        return perAddress.getOrDefault(address, maxPerAddress);
    }
}
