package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.quorum.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's way: six processes through scripts/cluster.sh, killed, stopped and replaced under a producer. */
class SixProcessesTest {
    private static final String TOPIC = "orders";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Path SCRIPTS =
            Path.of("..", "scripts").toAbsolutePath().normalize();

    @TempDir
    Path data;

    private Path inventory;
    private String bootstrap;

    @BeforeEach
    void start() throws Exception {
        List<Integer> ports = new ArrayList<>(FreePorts.next(6));
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(SCRIPTS.resolve("../config/local-3x3.conf"))) {
            lines.add(withPort(line, ports));
        }
        inventory = Files.write(data.resolve("six.conf"), lines);
        succeeds("format");
        Run up = cluster("up");
        assertThat(up.status()).as(up.output()).isZero();
        bootstrap = cluster("bootstrap").output().strip();
    }

    @AfterEach
    void stop() throws Exception {
        if (inventory != null) {
            cluster("down");
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhateverIsStopped() throws Exception {
        succeeds("wait-healthy --timeout 60");
        createTopic();
        Map<Long, String> acked = new HashMap<>();
        try (KafkaProducer<String, String> producer = producer()) {
            write(producer, 0, 200, null, acked);
            int first = leader();
            write(producer, 200, 400, "kill " + first, acked);
            assertThat(leader()).isNotEqualTo(first);
            succeeds("start " + first);
            awaitFullIsr();

            int second = leader();
            write(producer, 400, 600, "pause " + second, acked);
            succeeds("resume " + second);
            awaitFullIsr();

            int third = leader();
            write(producer, 600, 800, "stop " + third, acked);
            succeeds("start " + third);
            awaitFullIsr();

            write(producer, 800, 1000, "kill " + actingController(), acked);
        }
        assertThat(read()).isEqualTo(acked);
        Run status = cluster("status --json");
        assertThat(status.status()).as(status.output()).isZero();
        assertThat(status.output()).contains("\"brokers\"").contains("\"reachable\":false");
        assertThat(cluster("health").status()).as("a controller is missing").isNotZero();
        Run why = cluster("why " + TOPIC + " 0");
        assertThat(why.status()).as(why.output()).isZero();
        assertThat(why.output())
                .contains("leads, leader epoch")
                .contains("follows broker")
                .contains("high watermark");

        succeeds("down");
        succeeds("up");
        Awaitility.await("health")
                .atMost(PATIENCE)
                .until(() -> cluster("health").status() == 0);
        assertThat(read()).isEqualTo(acked);
    }

    @Test
    void controllersComeAndGoAndAreMadeAnewAndNothingAcknowledgedIsLost() throws Exception {
        createTopic();
        Map<Long, String> acked = new HashMap<>();
        List<String> before = Files.readAllLines(inventory);
        try (KafkaProducer<String, String> producer = producer()) {
            List<String> more = new ArrayList<>(before);
            more.add("104 controller 127.0.0.1 " + FreePorts.next() + " controller-104");
            Files.write(inventory, more);
            write(producer, 0, 200, "quorum add 104", acked);
            write(producer, 200, 400, "quorum transfer 104", acked);
            write(producer, 400, 600, "quorum remove 104", acked);
            assertThat(cluster("start 104").output()).contains("was removed from the quorum");
            Files.write(inventory, before);

            succeeds("stop 102");
            deleteDirectoryOf(102);
            succeeds("format");
            write(producer, 600, 800, "start 102", acked);
            assertThat(cluster("quorum members").output().split("has the log", -1))
                    .hasSize(4);

            loseTheMajority();
            Path image = savedFrom(103);
            aRefusedImageChangesNothing(image);
            succeeds("format --from-image " + image);
            succeeds("up");
            write(producer, 800, 1000, null, acked);
        }
        awaitFullIsr();
        succeeds("stop 1");
        succeeds("start 1");
        awaitFullIsr();
        assertThat(read()).isEqualTo(acked);
    }

    /** Two of three controllers are gone with their directories: they are not formatted as if nothing was lost. */
    private void loseTheMajority() throws Exception {
        for (int id : new int[] {101, 102}) {
            succeeds("kill " + id);
            deleteDirectoryOf(id);
        }
        Run refused = cluster("format");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output()).contains("there is no acting controller", "--from-image");
        succeeds("stop 103");
    }

    private void aRefusedImageChangesNothing(Path image) throws Exception {
        Path withoutDigest = Files.copy(image, data.resolve(image.getFileName()));
        Run refused = cluster("format --from-image " + withoutDigest);
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output()).contains(".md5 is missing", "nothing was formatted");
        for (int id = 101; id <= 103; id++) {
            assertThat(data.resolve("cluster/controller-" + id + "/meta.properties"))
                    .doesNotExist();
        }
    }

    private Path savedFrom(int id) throws Exception {
        Path directory = data.resolve("cluster/controller-" + id);
        Path saved = Files.createDirectories(data.resolve("saved"));
        Run export = run("metadata-log.sh", "--dir " + directory + " export --all " + saved);
        assertThat(export.status()).as(export.output()).isZero();
        Files.move(directory, data.resolve("old"));
        try (Stream<Path> files = Files.list(saved)) {
            return files.filter(file -> !file.toString().endsWith(".md5"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void deleteDirectoryOf(int id) throws IOException {
        try (Stream<Path> files = Files.walk(data.resolve("cluster/controller-" + id))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void succeeds(String command) throws Exception {
        Run run = cluster(command);
        assertThat(run.status()).as(run.output()).isZero();
    }

    /** Writes with the command given after the first half; every record must be acknowledged. */
    private void write(
            KafkaProducer<String, String> producer, int from, int to, String command, Map<Long, String> acked)
            throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            if (command != null && i == (from + to) / 2) {
                succeeds(command);
            }
            sent.add(producer.send(new ProducerRecord<>(TOPIC, "key", "value-" + i)));
        }
        for (int i = 0; i < sent.size(); i++) {
            acked.put(sent.get(i).get().offset(), "value-" + (from + i));
        }
    }

    private void createTopic() throws Exception {
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(TOPIC, 1, (short) 3).configs(Map.of("min.insync.replicas", "2"));
            admin.createTopics(List.of(topic)).all().get();
        }
        awaitFullIsr();
    }

    private void awaitFullIsr() {
        Awaitility.await("full ISR")
                .atMost(PATIENCE)
                .until(() -> describe().isr().size() == 3);
    }

    private int leader() throws Exception {
        return describe().leader().id();
    }

    private TopicPartitionInfo describe() throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            return admin.describeTopics(List.of(TOPIC))
                    .allTopicNames()
                    .get()
                    .get(TOPIC)
                    .partitions()
                    .get(0);
        }
    }

    private int actingController() throws Exception {
        Run status = cluster("status");
        for (String line : status.output().split("\n")) {
            String[] fields = line.trim().split("\\s+");
            if (fields.length > 3 && fields[2].equals("leader")) {
                return Integer.parseInt(fields[0]);
            }
        }
        throw new AssertionError("no acting controller in " + status.output());
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    private KafkaProducer<String, String> producer() {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("acks", "all");
        properties.put("request.timeout.ms", "2000");
        properties.put("delivery.timeout.ms", "90000");
        return new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer());
    }

    private Map<Long, String> read() {
        Map<Long, String> read = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    read.put(record.offset(), record.value());
                }
            }
        }
        return read;
    }

    private record Run(int status, String output) {}

    private Run cluster(String arguments) throws IOException, InterruptedException {
        return run("cluster.sh", arguments);
    }

    private Run run(String script, String arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                SCRIPTS.resolve(script).toString(),
                "--inventory",
                inventory.toString(),
                "--data",
                data.resolve("cluster").toString()));
        command.addAll(List.of(arguments.split(" ")));
        File output = File.createTempFile("cluster", ".out", data.toFile());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .redirectInput(new File("/dev/null"));
        builder.environment().put("TIDEMARK_CLASSPATH", System.getProperty("java.class.path"));
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).as(arguments).isTrue();
        return new Run(process.exitValue(), Files.readString(output.toPath()));
    }

    /** An inventory line with the next free port instead of its own; other lines as they are. */
    private static String withPort(String line, List<Integer> ports) {
        if (line.matches("\\s*\\d+\\s+(controller|broker)\\s+.*")) {
            return line.replaceFirst("\\b19\\d\\d\\d\\b", String.valueOf(ports.remove(0)));
        }
        return line;
    }
}
