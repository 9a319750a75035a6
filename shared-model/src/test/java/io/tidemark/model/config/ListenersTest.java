package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListenersTest {
    @Test
    void advertisedListenersDefaultToTheBoundOnes() {
        Listeners listeners = read(Map.of("listeners", "PLAINTEXT://127.0.0.1:9092"));
        assertThat(listeners.bound())
                .containsExactly(new Listener("PLAINTEXT", SecurityProtocol.PLAINTEXT, "127.0.0.1", 9092));
        assertThat(listeners.advertised()).isEqualTo(listeners.bound());
        assertThat(listeners.interBroker()).isEqualTo(listeners.bound().get(0));
    }

    @Test
    void anEmptyHostIsBoundAsItIsAndAdvertisedByName() {
        Listeners listeners = read(Map.of("listeners", "PLAINTEXT://:9092"));
        assertThat(listeners.bound().get(0).host()).isEmpty();
        assertThat(listeners.advertised().get(0).host()).isNotEmpty();
    }

    @Test
    void namesMayDifferFromProtocols() {
        Listeners listeners = read(Map.of(
                "listeners", "internal://0.0.0.0:9093,EXTERNAL://[::]:9092",
                "advertised.listeners", "INTERNAL://10.0.0.1:9093,EXTERNAL://log.example.net:443",
                "listener.security.protocol.map", "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT",
                "inter.broker.listener.name", "INTERNAL"));
        assertThat(listeners.interBroker().port()).isEqualTo(9093);
        assertThat(listeners.advertised())
                .extracting(Listener::toString)
                .containsExactly("INTERNAL://10.0.0.1:9093", "EXTERNAL://log.example.net:443");
        assertThat(listeners.bound().get(1).host()).isEqualTo("::");
    }

    @Test
    void aControllersListenerIsLeftOut() {
        Listeners listeners = read(Map.of(
                "listeners", "PLAINTEXT://h:9092,CONTROLLER://h:9093", "controller.listener.names", "CONTROLLER"));
        assertThat(listeners.bound()).extracting(Listener::name).isEqualTo(List.of("PLAINTEXT"));
    }

    /** Both roles read that: a controller's port must not silently be without the security it was given. */
    @ParameterizedTest
    @CsvSource({"CONTROLLER, CONTROLLER:SSL", "SSL, SSL:SSL", "CONTROLLER, CONTROLLER:SASL_PLAINTEXT"})
    void aSecuredControllersListenerIsRefused(String name, String map) {
        Map<String, String> values = Map.of(
                "process.roles", "controller",
                "node.id", "1",
                "controller.quorum.voters", "1@h:9093",
                "log.dirs", "/x",
                "controller.listener.names", name,
                "listener.security.protocol.map", map);
        assertThatThrownBy(() -> ControllerConfig.from(new ConfigReader("test", new HashMap<>(values))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listener.security.protocol.map")
                .hasMessageContaining("not built yet");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "listeners | SSL://h:9092 | SSL is not built yet",
                "listeners | SASL_PLAINTEXT://h:9092 | SASL_PLAINTEXT is not built yet",
                "security.inter.broker.protocol | SASL_SSL | SASL_SSL is not built yet",
                "listeners | OTHER://h:9092 | no entry for the listener OTHER",
                "listeners | h:9092 | expected NAME://host:port",
                "listeners | PLAINTEXT://h | expected host:port",
                "listeners | PLAINTEXT://h:70000 | expected a port from 0 to 65535",
                "listeners | PLAINTEXT://h:1,PLAINTEXT://h:2 | named twice",
                "advertised.listeners | PLAINTEXT://0.0.0.0:9092 | no address others can connect to",
                "inter.broker.listener.name | INTERNAL | INTERNAL must be among listeners",
                "listener.security.protocol.map | PLAINTEXT | expected NAME:PROTOCOL"
            })
    void whatCannotWorkIsRefused(String key, String value, String message) {
        assertThatThrownBy(() -> read(Map.of(key, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void twoListenersOnOnePortAreRefused() {
        assertThatThrownBy(() -> read(Map.of(
                        "listeners", "A://h:1,B://h:1",
                        "listener.security.protocol.map", "A:PLAINTEXT,B:PLAINTEXT",
                        "inter.broker.listener.name", "A")))
                .hasMessageContaining("port 1 is used twice");
    }

    private static Listeners read(Map<String, String> values) {
        ConfigReader reader = new ConfigReader("test", new HashMap<>(values));
        Listeners listeners = Listeners.read(reader);
        reader.finish(Set.of(NodeRole.BROKER));
        return listeners;
    }
}
