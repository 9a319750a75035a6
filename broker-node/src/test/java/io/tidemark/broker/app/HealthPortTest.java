package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.health.WhyMain;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster's brokers tell over HTTP: the customary alerts, readiness, and why a partition stands as it does. */
class HealthPortTest {
    /** Longer than any hold-up of a busy machine: who is killed is noticed without it. */
    private static final long SESSION_MS = 6_000;

    private static final String TOPIC = "orders";
    private static final String UNDER_REPLICATED = "kafka_server_replicamanager_underreplicatedpartitions";
    private static final String SHRINKS = "kafka_server_replicamanager_isrshrinks_total";
    private static final String PARTITION = "{topic=\"" + TOPIC + "\",partition=\"0\"}";

    @Test
    void theAlertsFireWhenABrokerDiesAndClearWhenItIsBack(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = cluster(root)) {
            for (int id = 1; id <= 3; id++) {
                assertThat(Scrape.get(cluster.healthPort(id), "/livez").status())
                        .isEqualTo(200);
                int port = cluster.healthPort(id);
                assertThat(Scrape.get(port, "/livez?within=5000").status()).isEqualTo(200);
                assertThat(Scrape.get(port, "/problems").status()).isEqualTo(200);
                assertThat(Scrape.get(port, "/problems").body()).isEmpty();
                assertThat(Scrape.get(port, "/warnings").status()).isEqualTo(200);
                // Each broker learns by itself that it may serve.
                Awaitility.await("broker " + id + " is ready")
                        .atMost(BrokerCluster.PATIENCE)
                        .until(() -> Scrape.get(port, "/readyz").status() == 200);
            }
            write(cluster, "all", 10);
            List<Integer> ports = ports(cluster, 1, 2, 3);
            assertThat(Scrape.sum(ports, UNDER_REPLICATED)).isZero();
            double before = Scrape.sum(ports, SHRINKS);

            int victim = cluster.partition(TOPIC, 0).isr().get(2);
            List<Integer> others = ports(
                    cluster,
                    IntStream.rangeClosed(1, 3).filter(id -> id != victim).toArray());
            cluster.kill(victim);
            // rate(isrshrinks_total) > 0, and underreplicatedpartitions > 0
            Awaitility.await("both alerts")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> Scrape.sum(others, SHRINKS) > before && Scrape.sum(others, UNDER_REPLICATED) > 0);

            cluster.start(victim);
            cluster.awaitIsr(TOPIC, 0, 3);
            List<Integer> all = ports(cluster, 1, 2, 3);
            Awaitility.await("all clear")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> Scrape.sum(all, UNDER_REPLICATED) == 0);
            double after = Scrape.sum(all, SHRINKS);
            write(cluster, "all", 10);
            assertThat(Scrape.sum(all, SHRINKS))
                    .as("no shrink any more: the rate is 0")
                    .isEqualTo(after);
            assertThat(Scrape.sum(all, "kafka_server_replicamanager_isrexpands_total"))
                    .isPositive();
        }
    }

    @Test
    void metricsAreTrue(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = cluster(root)) {
            write(cluster, "all", 20);
            int leader = cluster.partition(TOPIC, 0).leader();
            Map<String, Double> lead = Scrape.metrics(cluster.healthPort(leader));
            assertThat(lead)
                    .containsEntry("kafka_log_log_logendoffset" + PARTITION, 20.0)
                    .containsEntry("kafka_log_log_logstartoffset" + PARTITION, 0.0)
                    .containsEntry("kafka_log_log_numlogsegments" + PARTITION, 1.0)
                    .containsEntry("kafka_cluster_partition_insyncreplicascount" + PARTITION, 3.0)
                    .containsEntry("kafka_cluster_partition_replicascount" + PARTITION, 3.0)
                    .containsEntry("kafka_cluster_partition_underminisr" + PARTITION, 0.0)
                    .containsEntry("kafka_cluster_partition_atminisr" + PARTITION, 0.0)
                    .containsEntry("kafka_server_replicamanager_leadercount", 1.0)
                    .containsEntry("kafka_server_replicamanager_partitioncount", 1.0)
                    .containsEntry("kafka_server_brokertopicmetrics_messagesin_total", 20.0)
                    .containsEntry("kafka_server_replicamanager_offlinereplicacount", 0.0);
            assertThat(lead.get("kafka_log_log_size" + PARTITION))
                    .isEqualTo(lead.get("kafka_server_brokertopicmetrics_bytesin_total"));
            // Each of the two followers has fetched every byte.
            assertThat(lead.get("kafka_server_brokertopicmetrics_replicationbytesout_total"))
                    .isEqualTo(2 * lead.get("kafka_log_log_size" + PARTITION));
            int other = cluster.partition(TOPIC, 0).isr().get(1);
            Map<String, Double> follow = Scrape.metrics(cluster.healthPort(other));
            assertThat(follow)
                    .containsEntry("kafka_server_replicamanager_leadercount", 0.0)
                    .containsEntry("kafka_cluster_partition_insyncreplicascount" + PARTITION, 0.0)
                    .containsKey("kafka_server_replicafetchermanager_maxlag{clientId=\"Replica\"}")
                    .containsKey("kafka_server_fetcherlagmetrics_consumerlag{clientId=\"ReplicaFetcherThread-0-"
                            + leader + "\",topic=\"" + TOPIC + "\",partition=\"0\"}");
            assertThat(follow.get("kafka_server_brokertopicmetrics_replicationbytesin_total"))
                    .isEqualTo(lead.get("kafka_log_log_size" + PARTITION));
            assertThat(lead.get("kafka_server_fetchsessioncache_numincrementalfetchsessions"))
                    .isGreaterThanOrEqualTo(2.0);
        }
    }

    @Test
    void whyAPartitionStandsAsItDoes(@TempDir Path root) throws Exception {
        try (BrokerCluster cluster = cluster(root)) {
            write(cluster, "all", 5);
            String addresses = addresses(cluster);
            Answer healthy = why(addresses, TOPIC, "0");
            assertThat(healthy.status).isZero();
            assertThat(healthy.out)
                    .contains("nothing holds it, all that is written is below it")
                    .contains("no change is pending")
                    .contains("follows broker " + cluster.partition(TOPIC, 0).leader());

            List<Integer> isr = cluster.partition(TOPIC, 0).isr();
            int leader = cluster.partition(TOPIC, 0).leader();
            List<Integer> gone = isr.stream().filter(id -> id != leader).toList();
            gone.forEach(cluster::kill);
            Awaitility.await("fenced")
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> cluster.partition(TOPIC, 0).isr().size() == 1);
            write(cluster, "1", 3);
            Answer frozen = why(addresses, TOPIC, "0");
            assertThat(frozen.status).isZero();
            assertThat(frozen.out)
                    .contains("(3 records above it) has not moved for ")
                    .contains("the ISR [" + leader + "] is below the min ISR of 2")
                    .contains("replica " + gone.get(0) + ": not in the ISR, its broker is fenced or shutting down")
                    .contains("broker " + gone.get(1) + " does not answer: nothing listens on ");
            assertThat(Scrape.metrics(cluster.healthPort(leader)))
                    .containsEntry("tidemark_server_replication_heldhighwatermarks{by=\"below-min-isr\"}", 1.0)
                    .containsEntry("tidemark_server_replication_heldhighwatermarks{by=\"member\"}", 0.0)
                    .containsEntry("tidemark_server_replication_pendingisrchanges", 0.0);
            assertThat(Scrape.metrics(cluster.healthPort(leader))
                            .get("tidemark_server_replication_longestheldhighwatermarkms"))
                    .isPositive();
            Answer json = why(addresses, "--json", TOPIC, "0");
            assertThat(json.out)
                    .contains("\"leaderAnswered\":true")
                    .contains("\"hold\":\"below-min-isr\"")
                    .contains("\"absence\":\"not-active\"")
                    .contains("\"id\":" + gone.get(0) + ",\"answered\":false");

            assertThat(why(addresses, "no-such", "0").status).isEqualTo(1);
            assertThat(why(addresses, "no-such", "0").out)
                    .contains("no broker that answers leads no-such-0")
                    .contains("its metadata has no such partition");
        }
    }

    private record Answer(int status, String out) {}

    private static Answer why(String addresses, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String[] all = new String[arguments.length + 2];
        all[0] = "--brokers";
        all[1] = addresses;
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        int status = WhyMain.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), all);
        return new Answer(status, bytes.toString(StandardCharsets.UTF_8));
    }

    private static String addresses(BrokerCluster cluster) {
        return IntStream.rangeClosed(1, 3)
                .mapToObj(id -> id + "@127.0.0.1:" + cluster.healthPort(id))
                .reduce((left, right) -> left + "," + right)
                .orElseThrow();
    }

    private static List<Integer> ports(BrokerCluster cluster, int... ids) {
        return IntStream.of(ids).map(cluster::healthPort).boxed().toList();
    }

    private static BrokerCluster cluster(Path root) throws Exception {
        BrokerCluster cluster =
                new BrokerCluster(root, 1, 3, SESSION_MS, Map.of("broker.session.timeout.ms", "" + SESSION_MS));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 3).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get();
        }
        cluster.awaitIsr(TOPIC, 0, 3);
        return cluster;
    }

    private static void write(BrokerCluster cluster, String acks, int records) throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("acks", acks);
        properties.put("enable.idempotence", "false");
        properties.put("key.serializer", StringSerializer.class.getName());
        properties.put("value.serializer", StringSerializer.class.getName());
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties)) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(TOPIC, "value-" + i)).get();
            }
        }
    }
}
