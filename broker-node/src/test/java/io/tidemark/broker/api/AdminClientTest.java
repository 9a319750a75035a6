package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka's own admin client against the handlers over real sockets. */
class AdminClientTest {
    private TestBroker broker;
    private Admin admin;

    @BeforeEach
    void start() throws IOException {
        broker = new TestBroker();
        admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "10000",
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "20000"));
    }

    @AfterEach
    void stop() {
        admin.close();
        broker.close();
        assertThat(broker.failures).isEmpty();
    }

    @Test
    void describesTheCluster() throws Exception {
        DescribeClusterResult cluster = admin.describeCluster();
        assertThat(cluster.clusterId().get()).isEqualTo("test-cluster");
        assertThat(cluster.controller().get().id()).isEqualTo(1);
        assertThat(cluster.nodes().get()).containsExactly(new Node(1, "127.0.0.1", broker.port, "r1"));
    }
}
