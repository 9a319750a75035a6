package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of connections, under Kafka's keys. */
class NetworkConfigTest {
    private static NetworkConfig read(Map<String, String> properties) {
        ConfigReader reader = new ConfigReader("test", new HashMap<>(properties));
        NetworkConfig config = NetworkConfig.read(reader);
        reader.finish(Set.of(NodeRole.BROKER));
        return config;
    }

    @Test
    void someAddressesMayHaveLimitsOfTheirOwn() throws UnknownHostException {
        NetworkConfig config = read(Map.of(
                "max.connections.per.ip", "0",
                "max.connections.per.ip.overrides", "127.0.0.1:5, ::1:7",
                "max.connection.creation.rate", "50"));
        assertThat(config.maxConnectionsPerIp()).isZero();
        assertThat(config.maxConnectionsPerIpOverrides())
                .isEqualTo(Map.of(InetAddress.getByName("127.0.0.1"), 5, InetAddress.getByName("::1"), 7));
        assertThat(config.connectionCreationRate()).isEqualTo(50);
    }

    @Test
    void nobodyAtAllIsNoLimit() {
        assertThatThrownBy(() -> read(Map.of("max.connections.per.ip", "0")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("max.connections.per.ip");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.1:", ":5", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:5,"})
    void whatIsNoOverrideIsRefused(String text) {
        assertThatThrownBy(() -> read(Map.of("max.connections.per.ip.overrides", text)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("host:count");
    }
}
