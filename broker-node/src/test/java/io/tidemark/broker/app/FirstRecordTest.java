package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first record of an epoch was acknowledged only when the followers' next fetch had waited its full time at the
 * leader: they synced the new epoch while that fetch left without the partition.
 */
class FirstRecordTest {
    @Test
    void isAcknowledgedLongBeforeAFetchHasWaitedItsFullTime(@TempDir Path root) throws Exception {
        // With this wait, the ack would come after 14 seconds, were it left to the fetch.
        Map<String, String> settings = Map.of("replica.fetch.wait.max.ms", "14000");
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 3, 5_000, settings)) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
                admin.createTopics(List.of(new NewTopic("first", 4, (short) 3)))
                        .all()
                        .get();
            }
            for (int partition = 0; partition < 4; partition++) {
                cluster.awaitIsr("first", partition, 3);
            }
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all", "request.timeout.ms", "10000"),
                    new StringSerializer(),
                    new StringSerializer())) {
                for (int partition = 0; partition < 4; partition++) {
                    long offset = producer.send(new ProducerRecord<>("first", partition, null, "value"))
                            .get()
                            .offset();
                    assertThat(offset).isZero();
                }
                // Each was acknowledged by its first request: none ran into the request's time limit.
                assertThat(producer.metrics().entrySet().stream()
                                .filter(metric -> metric.getKey().name().equals("record-retry-total")
                                        && metric.getKey().group().equals("producer-metrics"))
                                .mapToDouble(
                                        metric -> (double) metric.getValue().metricValue())
                                .sum())
                        .isZero();
            }
        }
    }
}
