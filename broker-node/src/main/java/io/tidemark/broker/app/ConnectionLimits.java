package io.tidemark.broker.app;

import io.tidemark.broker.net.ConnectionSettings;
import io.tidemark.model.config.AddressCounts;
import io.tidemark.model.metadata.BrokerKeys;
import io.tidemark.model.metadata.ClusterImage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many connections a broker takes: what the metadata says ({@link BrokerKeys}) over the broker's file. */
final class ConnectionLimits {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimits.class);

    private final int brokerId;
    private final ConnectionSettings file;
    private final Supplier<ClusterImage> image;
    private final Executor lookups;
    private final Consumer<ConnectionSettings> server;
    /** The follower of the metadata only: the configuration that was looked at last. */
    private Object seen;
    /** Guarded by this. */
    private ConnectionSettings current;

    /**
     * @param image the newest one
     * @param lookups where the names of hosts are looked up, which may block
     * @param server is given each change
     */
    ConnectionLimits(
            int brokerId,
            ConnectionSettings file,
            Supplier<ClusterImage> image,
            Executor lookups,
            Consumer<ConnectionSettings> server) {
        this.brokerId = brokerId;
        this.file = file;
        this.image = image;
        this.lookups = lookups;
        this.server = server;
        this.current = file;
    }

    /** An image was published. */
    void published(ClusterImage newer) {
        if (newer.configs() != seen) {
            seen = newer.configs();
            lookups.execute(this::apply);
        }
    }

    /** The newest image's, whichever one this was asked for: two of these may overtake one another. */
    private synchronized void apply() {
        ConnectionSettings newer = of(image.get());
        if (!newer.equals(current)) {
            LOG.info("limits of connections: {}", newer);
            current = newer;
            server.accept(newer);
        }
    }

    private ConnectionSettings of(ClusterImage now) {
        String overrides = BrokerKeys.value(now, brokerId, BrokerKeys.CONNECTIONS_PER_IP_OVERRIDES);
        return new ConnectionSettings(
                number(now, BrokerKeys.CONNECTIONS, file.max()),
                number(now, BrokerKeys.CONNECTIONS_PER_IP, file.maxPerAddress()),
                overrides == null ? file.perAddress() : addresses(overrides),
                number(now, BrokerKeys.CONNECTION_RATE, file.creationsPerSecond()),
                file.maxIdleMs(),
                file.protectedListener());
    }

    private int number(ClusterImage now, String key, int otherwise) {
        String value = BrokerKeys.value(now, brokerId, key);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    private static Map<InetAddress, Integer> addresses(String overrides) {
        Map<InetAddress, Integer> addresses = new HashMap<>();
        AddressCounts.parse(overrides).forEach((host, count) -> {
            try {
                addresses.put(InetAddress.getByName(host), count);
            } catch (UnknownHostException e) {
                LOG.warn("{}: the host {} is unknown here", BrokerKeys.CONNECTIONS_PER_IP_OVERRIDES, host);
            }
        });
        return addresses;
    }
}
