package io.tidemark.broker.api;

import io.tidemark.broker.group.GroupConfigs;
import io.tidemark.broker.group.GroupSettings;
import io.tidemark.broker.net.Listener;
import io.tidemark.broker.net.NetServer;
import io.tidemark.broker.net.NetSettings;
import io.tidemark.model.config.AutoTopicCreation;
import io.tidemark.model.metadata.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A broker without partitions on a real socket, over a {@link FakeQuorum}; its id is 1. */
final class TestBroker implements AutoCloseable {
    static final String LISTENER = "PLAINTEXT";

    final FakeQuorum quorum = new FakeQuorum();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final NetServer server;
    final int port;

    TestBroker() throws IOException {
        this(NetSettings.defaults(2), apis -> apis);
    }

    TestBroker(NetSettings settings, UnaryOperator<ApiDispatcher.Builder> more) throws IOException {
        server = new NetServer(settings, failures::add);
        ApiDispatcher.Builder apis = BrokerApis.register(new ApiDispatcher.Builder(), environment(quorum));
        port = server.bind(
                Listener.plaintext(LISTENER, "127.0.0.1", 0), more.apply(apis).build());
        quorum.register(1, "r1", new Endpoint(LISTENER, "127.0.0.1", port));
    }

    static BrokerApis.Environment environment(FakeQuorum quorum) {
        return new BrokerApis.Environment(
                "test-cluster",
                1,
                () -> quorum.get().broker(1).epoch(),
                quorum,
                quorum,
                quorum,
                quorum,
                new AutoTopicCreation(true, 3, 1),
                3,
                new GroupConfigs(new GroupSettings(Map.of())),
                Map.of("num.partitions", "3", "log.retention.hours", "24"));
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.close();
    }
}
