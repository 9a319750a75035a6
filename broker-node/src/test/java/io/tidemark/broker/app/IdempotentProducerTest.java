package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.RawClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An idempotent producer's records are there once and in order, whatever becomes of brokers, ids and epochs. */
class IdempotentProducerTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final int PRODUCER_TIMEOUT_MS = 60_000;

    @TempDir
    private Path root;

    private BrokerCluster cluster;

    private void start(int brokers, int minIsr, Map<String, String> extra) throws Exception {
        Map<String, String> config = new HashMap<>(extra);
        config.put("broker.session.timeout.ms", "1000");
        cluster = new BrokerCluster(root, brokers == 1 ? 1 : 3, brokers, 1_000, config);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            NewTopic topic = new NewTopic(TOPIC, 1, (short) brokers)
                    .configs(Map.of("min.insync.replicas", String.valueOf(minIsr)));
            admin.createTopics(List.of(topic)).all().get();
        }
        cluster.awaitIsr(TOPIC, 0, brokers);
    }

    private KafkaProducer<String, String> producer(int deliveryTimeoutMs) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        properties.put("enable.idempotence", "true");
        properties.put("linger.ms", "0");
        properties.put("batch.size", "500"); // many batches, so that sequences matter
        properties.put("request.timeout.ms", "1000");
        properties.put("delivery.timeout.ms", String.valueOf(deliveryTimeoutMs));
        properties.put("max.block.ms", String.valueOf(PRODUCER_TIMEOUT_MS));
        return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    private static Future<RecordMetadata> send(KafkaProducer<String, String> producer, int value) {
        return producer.send(new ProducerRecord<>(TOPIC, 0, "key", String.valueOf(value)));
    }

    private void restart(int broker) {
        cluster.kill(broker);
        cluster.start(broker);
    }

    private List<Integer> read() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", cluster.bootstrap());
        List<Integer> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(Integer.parseInt(record.value()));
                }
            }
        }
        return values;
    }

    @Test
    void everyRecordIsThereOnceAfterLeaderChangesAndARestartOfAllBrokers() throws Exception {
        start(3, 2, Map.of());
        try (BrokerCluster all = cluster;
                KafkaProducer<String, String> producer = producer(PRODUCER_TIMEOUT_MS)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                sent.add(send(producer, i));
                if (i == 600 || i == 1_200) {
                    restart(all.partition(TOPIC, 0).leader());
                    all.awaitIsr(TOPIC, 0, 3);
                } else if (i == 1_800) {
                    for (int id = 1; id <= 3; id++) {
                        all.kill(id);
                    }
                    for (int id = 1; id <= 3; id++) {
                        all.start(id);
                    }
                } else if (i == 2_400) {
                    sent.get(i).get();
                    int leader = all.partition(TOPIC, 0).leader();
                    all.stop(leader); // in order, with what it knows of producers in a snapshot
                    all.start(leader);
                }
            }
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
            assertThat(read()).isEqualTo(IntStream.range(0, 3_000).boxed().toList());
            assertThat(all.fatal()).isEmpty();
        }
    }

    @Test
    void aProducerWhoseIdWasForgottenGoesOn() throws Exception {
        start(2, 1, Map.of("producer.id.expiration.ms", "1", "producer.id.expiration.check.interval.ms", "100"));
        try (BrokerCluster all = cluster;
                KafkaProducer<String, String> producer = producer(PRODUCER_TIMEOUT_MS)) {
            for (int i = 0; i < 10; i++) {
                send(producer, i).get();
            }
            assertThat(raw(77, 0, 0).error).isEqualTo(Errors.NONE);
            // As long as that id is known, a gap in its sequence is refused; from then on it is new here (R5.32).
            Awaitility.await()
                    .atMost(BrokerCluster.PATIENCE)
                    .until(() -> raw(77, 0, 1_000).error, error -> error == Errors.NONE);
            for (int i = 10; i < 20; i++) {
                send(producer, i).get();
            }
            restart(all.partition(TOPIC, 0).leader());
            for (int i = 20; i < 30; i++) {
                send(producer, i).get();
            }
            assertThat(read().stream().filter(value -> value >= 0).toList())
                    .isEqualTo(IntStream.range(0, 30).boxed().toList());
        }
    }

    /** R5.30 to R5.34: also at a leader that knows of it only what it has replicated. */
    @Test
    void aHigherEpochStartsAnewAndShutsTheOlderOneOut() throws Exception {
        start(3, 2, Map.of());
        try (BrokerCluster all = cluster) {
            assertThat(raw(77, 0, 0).error).isEqualTo(Errors.NONE);
            assertThat(raw(77, 0, 5).error).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
            assertThat(raw(77, 1, 1).error).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
            Answer bumped = raw(77, 1, 0);
            assertThat(bumped.error).isEqualTo(Errors.NONE);
            for (int turn = 1; turn <= 3; turn++) {
                assertThat(raw(77, 0, 1).error).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
                assertThat(raw(77, 1, 0)).isEqualTo(bumped);
                assertThat(raw(77, 1, turn + 1).error).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
                assertThat(raw(77, 1, turn).error).isEqualTo(Errors.NONE);
                restart(all.partition(TOPIC, 0).leader());
                all.awaitIsr(TOPIC, 0, 3);
            }
            // Sequences go round.
            assertThat(raw(78, 0, Integer.MAX_VALUE).error).isEqualTo(Errors.NONE);
            assertThat(raw(78, 0, 0).error).isEqualTo(Errors.NONE);
            assertThat(raw(78, 0, 1).error).isEqualTo(Errors.NONE);
            assertThat(raw(78, 0, Integer.MAX_VALUE).error).isEqualTo(Errors.NONE); // seen already
            assertThat(read()).hasSize(8);
        }
    }

    /** A batch that timed out may be in the log or not; the producer goes on under its next epoch. */
    @Test
    void aProducerBumpsItsEpochAfterATimeout() throws Exception {
        start(2, 2, Map.of());
        try (BrokerCluster all = cluster;
                KafkaProducer<String, String> producer = producer(3_000)) {
            send(producer, 0).get();
            int follower = 3 - all.partition(TOPIC, 0).leader();
            all.kill(follower);
            Future<RecordMetadata> lost = send(producer, 1);
            Awaitility.await().atMost(BrokerCluster.PATIENCE).until(lost::isDone);
            assertThat(lost)
                    .failsWithin(Duration.ZERO)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(TimeoutException.class);
            all.start(follower);
            all.awaitIsr(TOPIC, 0, 2);
            for (int i = 2; i < 10; i++) {
                send(producer, i).get();
            }
            List<Integer> expected =
                    new ArrayList<>(IntStream.range(0, 10).boxed().toList());
            List<Integer> read = read();
            if (!read.contains(1)) {
                expected.remove(Integer.valueOf(1));
            }
            assertThat(read).isEqualTo(expected);
            assertThat(lastProducerEpoch(3 - follower)).isGreaterThan((short) 0);
        }
    }

    private short lastProducerEpoch(int broker) throws IOException {
        File file = cluster.directory(broker)
                .resolve(TOPIC + "-0")
                .resolve("00000000000000000000.log")
                .toFile();
        short epoch = -1;
        try (FileRecords records = FileRecords.open(file, false)) {
            for (RecordBatch batch : records.batches()) {
                epoch = batch.producerEpoch();
            }
        }
        return epoch;
    }

    private record Answer(Errors error, long offset) {}

    /** One record of value -1 under that id, epoch and sequence. */
    private Answer raw(long producerId, int epoch, int sequence) throws IOException {
        int leader = Awaitility.await()
                .atMost(BrokerCluster.PATIENCE)
                .until(() -> cluster.partition(TOPIC, 0).leader(), id -> id > 0);
        int port = cluster.image().broker(leader).endpoints().get(0).port();
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(30_000);
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                producerId,
                (short) epoch,
                sequence,
                new SimpleRecord("-1".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName(TOPIC)
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(records))));
        try (RawClient client = new RawClient(port)) {
            ProduceResponse response = (ProduceResponse) client.call(new ProduceRequest(request, (short) 12));
            var row = response.data()
                    .responses()
                    .iterator()
                    .next()
                    .partitionResponses()
                    .get(0);
            return new Answer(Errors.forCode(row.errorCode()), row.baseOffset());
        }
    }
}
