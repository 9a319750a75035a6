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
 * A partition that gets something to tell its leader while a fetch waits there (it has synced the first record of an
 * epoch, or has just begun to follow) is not left waiting with it.
 */
class FirstRecordTest {
    @Test
    void isAcknowledgedLongBeforeAFetchHasWaitedItsFullTime(@TempDir Path root) throws Exception {
        // With this wait, the ack would come after the producer has given up, were it left to the fetch.
        Map<String, String> settings = Map.of("replica.fetch.wait.max.ms", "25000", "replica.lag.time.max.ms", "60000");
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
                    Map.of(
                            "bootstrap.servers",
                            cluster.bootstrap(),
                            "acks",
                            "all",
                            "linger.ms",
                            "0",
                            "request.timeout.ms",
                            "20000",
                            "delivery.timeout.ms",
                            "20000"),
                    new StringSerializer(),
                    new StringSerializer())) {
                for (int partition = 0; partition < 4; partition++) {
                    long offset = producer.send(new ProducerRecord<>("first", partition, null, "value"))
                            .get()
                            .offset();
                    assertThat(offset).isZero();
                }
            }
        }
    }
}
