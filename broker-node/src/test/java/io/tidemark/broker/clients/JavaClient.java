package io.tidemark.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.AppInfoParser;
import org.awaitility.Awaitility;

/** Kafka's own client in this process; its groups are of the classic or of the new protocol. */
final class JavaClient implements RealClient {
    private static final int PARTITIONS = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long FUTURE_MS = 4_102_444_800_000L;

    private final String groupProtocol;

    JavaClient(String groupProtocol) {
        this.groupProtocol = groupProtocol;
    }

    @Override
    public String name() {
        return "Java " + AppInfoParser.getVersion() + ", " + groupProtocol + " groups";
    }

    @Override
    public Outcome run(String step, String bootstrap, List<String> arguments, IntConsumer sent) {
        try (Work work = new Work(bootstrap, sent)) {
            String first = arguments.get(0);
            switch (step) {
                case "create" -> work.create(first);
                case "produce" -> work.produce(first, number(arguments, 1), number(arguments, 2), arguments.get(3));
                case "assign" -> work.assign(first, number(arguments, 1));
                case "group" -> work.group(first, arguments.get(1), number(arguments, 2));
                case "resume" -> work.resume(first, arguments.get(1), number(arguments, 2));
                case "rebalance" -> work.rebalance(first, arguments.get(1));
                case "steady" -> work.steady(first, arguments.get(1), number(arguments, 2));
                case "times" -> work.times(first);
                case "describe" -> work.describe(first);
                case "groups" -> work.groups(first);
                case "delete" -> work.delete(first, arguments.get(1));
                default -> throw new IllegalArgumentException(step);
            }
            return Outcome.WORKS;
        } catch (Exception | AssertionError e) {
            return Outcome.failed(e.toString());
        }
    }

    /** All values in the topic now. */
    static Set<Integer> values(String bootstrap, String topic) {
        Set<Integer> values = new HashSet<>();
        Map<String, Object> properties = Map.of("bootstrap.servers", bootstrap);
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(partitions(topic));
            consumer.seekToBeginning(partitions(topic));
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions(topic));
            await("the end of the topic", () -> {
                consumer.poll(POLL).forEach(record -> values.add(Integer.parseInt(record.value())));
                return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            });
        }
        return values;
    }

    private static int number(List<String> arguments, int index) {
        return Integer.parseInt(arguments.get(index));
    }

    /** One step, and the clients it opened. */
    private final class Work implements AutoCloseable {
        private final String bootstrap;
        private final IntConsumer sent;
        private final List<AutoCloseable> open = new ArrayList<>();

        Work(String bootstrap, IntConsumer sent) {
            this.bootstrap = bootstrap;
            this.sent = sent;
        }

        @Override
        public void close() throws Exception {
            for (AutoCloseable client : open) {
                client.close();
            }
        }

        private Admin admin() {
            Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
            open.add(admin);
            return admin;
        }

        private KafkaConsumer<String, String> consumer(String group) {
            Map<String, Object> properties = new HashMap<>(Map.of(
                    "bootstrap.servers", bootstrap, "auto.offset.reset", "earliest", "enable.auto.commit", "false"));
            if (group != null) {
                properties.put("group.id", group);
                properties.put("group.protocol", groupProtocol);
            }
            KafkaConsumer<String, String> consumer =
                    new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer());
            open.add(consumer);
            return consumer;
        }

        private KafkaProducer<String, String> producer(String acks) {
            Map<String, Object> properties = Map.of(
                    "bootstrap.servers",
                    bootstrap,
                    "acks",
                    acks,
                    "enable.idempotence",
                    String.valueOf(acks.equals("all")),
                    "request.timeout.ms",
                    "5000");
            KafkaProducer<String, String> producer =
                    new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
            open.add(producer);
            return producer;
        }

        void create(String topic) throws Exception {
            admin().createTopics(List.of(
                            new NewTopic(topic, PARTITIONS, (short) 3).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get();
        }

        void produce(String topic, int first, int count, String acks) throws Exception {
            KafkaProducer<String, String> producer = producer(acks);
            List<Future<RecordMetadata>> futures = new ArrayList<>();
            for (int i = first; i < first + count; i++) {
                futures.add(producer.send(record(topic, i)));
            }
            for (Future<RecordMetadata> future : futures) {
                future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }

        void assign(String topic, int count) {
            KafkaConsumer<String, String> consumer = consumer(null);
            consumer.assign(partitions(topic));
            consumer.seekToBeginning(partitions(topic));
            Set<Integer> seen = read(consumer, count);
            assertThat(seen)
                    .isEqualTo(new HashSet<>(IntStream.range(0, count).boxed().toList()));
        }

        /** Reads until there are {@code count} values, which come in order for each key. */
        private Set<Integer> read(KafkaConsumer<String, String> consumer, int count) {
            Set<Integer> seen = new HashSet<>();
            Map<String, Integer> last = new HashMap<>();
            await("values", () -> {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    int value = Integer.parseInt(record.value());
                    assertThat(last.getOrDefault(record.key(), -1)).isLessThan(value);
                    last.put(record.key(), value);
                    seen.add(value);
                }
                return seen.size() >= count;
            });
            return seen;
        }

        void group(String topic, String group, int count) {
            KafkaConsumer<String, String> consumer = consumer(group);
            consumer.subscribe(List.of(topic));
            read(consumer, count);
            consumer.commitSync();
        }

        void resume(String topic, String group, int count) {
            Map<TopicPartition, OffsetAndMetadata> committed =
                    consumer(group).committed(new HashSet<>(partitions(topic)));
            assertThat(committed.values().stream()
                            .mapToLong(offset -> offset == null ? 0 : offset.offset())
                            .sum())
                    .isEqualTo(count);
        }

        void rebalance(String topic, String group) {
            List<KafkaConsumer<String, String>> members = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                members.add(consumer(group));
                members.get(i).subscribe(List.of(topic));
            }
            await("three members that share the partitions", () -> shared(members));
            members.remove(0).close();
            await("two members that share the partitions", () -> shared(members));
        }

        private boolean shared(List<KafkaConsumer<String, String>> members) {
            members.forEach(member -> member.poll(POLL)); // a rebalance needs all of them
            Set<TopicPartition> all = new HashSet<>();
            int sum = 0;
            for (KafkaConsumer<String, String> member : members) {
                Set<TopicPartition> assigned = member.assignment();
                if (assigned.isEmpty()) {
                    return false;
                }
                sum += assigned.size();
                all.addAll(assigned);
            }
            return sum == PARTITIONS && all.size() == PARTITIONS;
        }

        void steady(String topic, String group, int count) throws Exception {
            KafkaConsumer<String, String> consumer = consumer(group);
            consumer.subscribe(List.of(topic));
            Set<Integer> acked = ConcurrentHashMap.newKeySet();
            KafkaProducer<String, String> producer = producer("all");
            Thread writer = new Thread(() -> {
                for (int i = 0; i < count; i++) {
                    int value = i;
                    producer.send(record(topic, i), (metadata, failure) -> {
                        if (failure == null) {
                            acked.add(value);
                        }
                    });
                    if (i % 100 == 0) {
                        sent.accept(i);
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5)); // the pace of the writer
                }
                producer.flush();
            });
            writer.start();
            Set<Integer> seen = new HashSet<>();
            await("everything acknowledged to be read", () -> {
                consumer.poll(POLL).forEach(record -> seen.add(Integer.parseInt(record.value())));
                consumer.commitAsync();
                return !writer.isAlive() && seen.containsAll(acked);
            });
            writer.join();
            assertThat(acked).hasSize(count);
        }

        void times(String topic) {
            KafkaConsumer<String, String> consumer = consumer(null);
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 10);
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            await("a record", () -> {
                records.addAll(consumer.poll(POLL).records(partition));
                return !records.isEmpty();
            });
            long timestamp = records.get(0).timestamp();
            OffsetAndTimestamp found =
                    consumer.offsetsForTimes(Map.of(partition, timestamp)).get(partition);
            assertThat(found.offset()).isLessThanOrEqualTo(10);
            assertThat(found.timestamp()).isGreaterThanOrEqualTo(timestamp);
            assertThat(consumer.offsetsForTimes(Map.of(partition, FUTURE_MS)).get(partition))
                    .isNull();
            assertThat(consumer.beginningOffsets(List.of(partition))).containsEntry(partition, 0L);
            assertThat(consumer.endOffsets(List.of(partition)).get(partition)).isGreaterThan(10);
        }

        void describe(String topic) throws Exception {
            var description =
                    admin().describeTopics(List.of(topic)).allTopicNames().get().get(topic);
            assertThat(description.partitions())
                    .hasSize(PARTITIONS)
                    .allMatch(row -> row.replicas().size() == 3);
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            assertThat(admin().describeConfigs(List.of(resource))
                            .all()
                            .get()
                            .get(resource)
                            .get("min.insync.replicas")
                            .value())
                    .isEqualTo("2");
        }

        void groups(String group) throws Exception {
            assertThat(admin().listGroups().all().get())
                    .anyMatch(listing -> listing.groupId().equals(group));
            assertThat(admin().describeConsumerGroups(List.of(group))
                            .all()
                            .get()
                            .get(group)
                            .groupId())
                    .isEqualTo(group);
        }

        void delete(String topic, String group) throws Exception {
            Admin admin = admin();
            admin.deleteConsumerGroups(List.of(group)).all().get();
            admin.deleteTopics(List.of(topic)).all().get();
            await("the topic to be gone", () -> {
                try {
                    return !admin.listTopics().names().get().contains(topic);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        Awaitility.await(what).pollInSameThread().atMost(PATIENCE).until(condition::getAsBoolean);
    }

    private static ProducerRecord<String, String> record(String topic, int i) {
        return new ProducerRecord<>(topic, "k" + i % 50, String.valueOf(i));
    }

    private static List<TopicPartition> partitions(String topic) {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }
}
