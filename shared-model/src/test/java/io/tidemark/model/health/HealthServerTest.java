package io.tidemark.model.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.config.QuorumVoter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The health port over real HTTP. */
class HealthServerTest {
    private static final HealthConfig ANY_PORT = new HealthConfig("127.0.0.1", 0, true);

    private static HttpProbe.Reply get(int port, String path) throws InterruptedException {
        return HttpProbe.ask(List.of(new QuorumVoter(1, "127.0.0.1", port)), path)
                .get(0);
    }

    @Test
    void readinessFollowsTheNode() throws Exception {
        try (HealthServer server = HealthServer.start(ANY_PORT, "test")) {
            assertThat(get(server.port(), "/livez").status()).isEqualTo(200);
            assertThat(get(server.port(), "/readyz").status()).isEqualTo(503);
            assertThat(get(server.port(), "/readyz").body()).contains("\"state\":\"starting\"");
            AtomicBoolean ready = new AtomicBoolean();
            server.ready(() -> Readiness.of(ready.get(), "recovering", Map.of("logs", 7)));
            assertThat(get(server.port(), "/readyz").body())
                    .isEqualTo("{\"ready\":false,\"state\":\"recovering\",\"logs\":7}\n");
            ready.set(true);
            assertThat(get(server.port(), "/readyz").status()).isEqualTo(200);
        }
    }

    @Test
    void metricsAreReadWhenAskedForAndASourceThatFailsIsLeftOut() throws Exception {
        try (HealthServer server = HealthServer.start(ANY_PORT, "test")) {
            AtomicLong shrinks = new AtomicLong(3);
            MetricName name = MetricName.of("kafka.server", "ReplicaManager", "IsrShrinksPerSec");
            server.add((MetricSource) sink -> {
                throw new IllegalStateException("broken on purpose");
            });
            server.add((MetricSource) sink -> sink.count(name, shrinks.get()));
            assertThat(get(server.port(), "/metrics").body())
                    .isEqualTo("# TYPE kafka_server_replicamanager_isrshrinks_total counter\n"
                            + "kafka_server_replicamanager_isrshrinks_total 3\n");
            shrinks.set(4);
            assertThat(get(server.port(), "/metrics").body()).contains("total 4\n");
        }
    }

    @Test
    void pagesGetTheirParametersAndUnknownPathsAreListed() throws Exception {
        try (HealthServer server = HealthServer.start(ANY_PORT, "test")) {
            server.add("/echo", query -> Page.Answer.text(200, query.toString()).with("Tidemark-Role", "leader"));
            HttpProbe.Reply reply = get(server.port(), "/echo?topic=a%20b&flag");
            assertThat(reply.body()).contains("topic=a b").contains("flag=");
            assertThat(reply.header("tidemark-role")).isEqualTo("leader");
            assertThat(get(server.port(), "/nothing").status()).isEqualTo(404);
            assertThat(get(server.port(), "/").body()).contains("/echo").contains("/metrics");
        }
    }

    @Test
    void whoDoesNotListenIsToldInWords() throws Exception {
        int port;
        try (HealthServer server = HealthServer.start(ANY_PORT, "test")) {
            port = server.port();
        }
        HttpProbe.Reply reply = get(port, "/livez");
        assertThat(reply.answered()).isFalse();
        assertThat(reply.problem()).isEqualTo("nothing listens on 127.0.0.1:" + port);
    }

    @Test
    void aTakenPortIsRefusedWithItsKey() throws Exception {
        try (HealthServer server = HealthServer.start(ANY_PORT, "test")) {
            assertThatThrownBy(() -> HealthServer.start(new HealthConfig("127.0.0.1", server.port(), true), "second"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("health.port");
        }
        assertThat(HealthServer.start(new HealthConfig("", -1, true), "none")).isNull();
    }
}
