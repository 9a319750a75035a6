package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.HttpProbe;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a broker tells before it serves anybody. */
class BrokerHealthTest {
    @Test
    void aLongRecoveryCanBeWatched() throws Exception {
        BrokerConfig config = BrokerConfig.from(new ConfigReader(
                "test",
                Map.of(
                        "process.roles", "broker",
                        "node.id", "1",
                        "controller.quorum.voters", "101@127.0.0.1:19101",
                        "log.dirs", "/nowhere",
                        "listeners", "PLAINTEXT://127.0.0.1:9092")));
        assertThat(config.health()).isEqualTo(new HealthConfig("127.0.0.1", 10_092, true));
        try (HealthServer server = HealthServer.start(new HealthConfig("127.0.0.1", 0, true), "test")) {
            BrokerHealth health = BrokerHealth.on(config, server);
            health.recovery().found(3);
            health.recovery().oneRecovered();
            HttpProbe.Reply reply = Scrape.get(server.port(), "/readyz");
            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.body())
                    .contains("\"state\":\"recovering\"")
                    .contains("\"logs\":3")
                    .contains("\"recovered\":1");
            assertThat(Scrape.get(server.port(), "/livez").status()).isEqualTo(200);
        }
    }

    @Test
    void aPortThatIsTooHighHasToBeGiven() {
        Map<String, String> properties = Map.of(
                "process.roles", "broker",
                "node.id", "1",
                "controller.quorum.voters", "101@127.0.0.1:19101",
                "log.dirs", "/nowhere",
                "listeners", "PLAINTEXT://127.0.0.1:65000");
        assertThat(catchThrowable(() -> BrokerConfig.from(new ConfigReader("test", properties))))
                .hasMessageContaining("health.port is missing");
    }
}
