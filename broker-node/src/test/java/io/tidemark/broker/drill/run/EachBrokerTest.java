package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.net.Listener;
import io.tidemark.broker.net.NetServer;
import io.tidemark.broker.net.NetSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Brokers that know the same, and brokers of which one has been left behind. */
class EachBrokerTest {
    private static final Set<String> TOPICS = Set.of("orders");

    private final List<NetServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(NetServer::close);
    }

    /** Returns host:port of one that tells so. */
    private String broker(int leader, List<Integer> isr) throws IOException {
        NetServer server = new NetServer(new NetSettings(1, 1 << 20, 10, 1 << 20), failure -> {});
        servers.add(server);
        int[] port = new int[1];
        port[0] =
                server.bind(Listener.plaintext("CLIENTS", "127.0.0.1", 0), call -> answer(call, port[0], leader, isr));
        return "127.0.0.1:" + port[0];
    }

    private static void answer(Call call, int port, int leader, List<Integer> isr) {
        if (call.header().apiKey() == ApiKeys.API_VERSIONS) {
            ApiVersionsResponseData versions = new ApiVersionsResponseData();
            for (ApiKeys api : List.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA)) {
                versions.apiKeys()
                        .add(new ApiVersionsResponseData.ApiVersion()
                                .setApiKey(api.id)
                                .setMinVersion(api.oldestVersion())
                                .setMaxVersion(api.latestVersion()));
            }
            call.respond(new ApiVersionsResponse(versions));
            return;
        }
        MetadataResponseData data = new MetadataResponseData();
        for (int id = 1; id <= 3; id++) {
            data.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(id)
                            .setHost("127.0.0.1")
                            .setPort(port));
        }
        data.topics()
                .add(new MetadataResponseTopic()
                        .setName("orders")
                        .setTopicId(new Uuid(1, 1))
                        .setPartitions(List.of(new MetadataResponsePartition()
                                .setLeaderId(leader)
                                .setReplicaNodes(List.of(1, 2, 3))
                                .setIsrNodes(isr))));
        call.respond(new MetadataResponse(data, call.header().apiVersion()));
    }

    private static boolean full(String... brokers) {
        return EachBroker.tellsFullIsr(String.join(",", brokers), TOPICS);
    }

    @Test
    void allHaveToSayThatAllAreInSync() throws IOException {
        String first = broker(2, List.of(1, 2, 3));
        assertThat(full(first, broker(2, List.of(3, 2, 1)))).isTrue();
        assertThat(full(first, broker(2, List.of(3, 2)))).isFalse();
    }

    @Test
    void aBrokerThatStillKnowsTheLeaderBeforeIsNotOutvoted() throws IOException {
        String current = broker(2, List.of(1, 2, 3));
        String behind = broker(1, List.of(1, 2, 3));
        assertThat(full(current, current, behind)).isFalse();
        assertThat(full(behind, current)).isFalse();
        assertThat(full(broker(-1, List.of(1, 2, 3)))).isFalse();
    }

    @Test
    void aBrokerThatKnowsNoSuchTopicIsNoAnswer() throws IOException {
        String broker = broker(2, List.of(1, 2, 3));
        assertThatThrownBy(() -> EachBroker.tellsFullIsr(broker, Set.of("others")))
                .isInstanceOf(DrillException.class)
                .hasMessageContaining("others");
    }
}
