package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.model.MonoTime;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.HttpProbe;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a broker tells before it serves anybody. */
class BrokerHealthTest {
    private static BrokerConfig config() {
        return BrokerConfig.from(new ConfigReader(
                "test",
                Map.of(
                        "process.roles", "broker",
                        "node.id", "1",
                        "controller.quorum.voters", "101@127.0.0.1:19101",
                        "log.dirs", "/nowhere",
                        "listeners", "PLAINTEXT://127.0.0.1:9092")));
    }

    /** A broker that has applied its registration and is unfenced, in the controllers' and its own view. */
    @Test
    void oneWhoseMetadataStandsStillIsNotReady() {
        ClusterImage image = ClusterImage.EMPTY.apply(
                7,
                new MetadataEntry(
                        -1,
                        0,
                        new MetadataEntry.Cause("test", -1, -1, "", ""),
                        List.of(
                                new MetadataRecord.BrokerRegistered(
                                        1, 7, "i", List.of("d"), List.of(), "", "", 1, 1, true),
                                new MetadataRecord.BrokerUnfenced(1, 7)),
                        new QuorumReply.Done()));
        BrokerHealth health = BrokerHealth.on(config(), null);
        health.heartbeatAnswered(answer(7), new MonoTime(1_000), 7);
        assertThat(ready(health, image, 30_000)).as("nothing is newer").isTrue();
        health.heartbeatAnswered(answer(8), new MonoTime(31_000), 7);
        health.heartbeatAnswered(answer(9), new MonoTime(40_000), 7);
        assertThat(ready(health, image, 40_000)).as("it may be on its way").isTrue();
        assertThat(ready(health, image, 42_000)).as("8 did not come").isFalse();
        assertThat(health.readiness(image, 7, LeaderLease.endless(), new MonoTime(42_000))
                        .facts())
                .containsEntry("state", "catching up")
                .containsEntry("metadataBehindMs", 11_000L);
    }

    private static QuorumQuery.HeartbeatAnswer answer(long index) {
        return new QuorumQuery.HeartbeatAnswer(ErrorCode.NONE, 1, true, false, false, index);
    }

    private static boolean ready(BrokerHealth health, ClusterImage image, long nowMs) {
        return health.readiness(image, 7, LeaderLease.endless(), new MonoTime(nowMs))
                .ready();
    }

    @Test
    void aLongRecoveryCanBeWatched() throws Exception {
        BrokerConfig config = config();
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
