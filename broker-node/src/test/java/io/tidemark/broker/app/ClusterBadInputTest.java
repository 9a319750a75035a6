package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.RawClient;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.ratis.QuorumHarness;
import io.tidemark.quorum.ratis.QuorumServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a client or a stranger sends to a broker's or a controller's port: he hears Kafka's error or is cut off, and
 * the cluster is afterwards what it was: no record appended, no metadata written, no controller or leader changed, no
 * file outside of the nodes' directories, everybody else served.
 */
class ClusterBadInputTest {
    private static final String TOPIC = "steady";
    private static final short PRODUCE_VERSION = 12;
    private static final int SLOW_MS = 60_000;
    private static final int HEADER_BYTES = 61;

    @TempDir
    private static Path root;

    private static BrokerCluster cluster;
    private static int leader;
    private static RawClient bystander;

    private ClusterImage image;
    private QuorumServer controller;
    private long end;

    @BeforeAll
    static void start() throws Exception {
        cluster = new BrokerCluster(
                root,
                QuorumHarness.withCoreAndPatience(root, 3, 30_000),
                3,
                Map.of("auto.create.topics.enable", "false"));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()))) {
            admin.createTopics(List.of(
                            new NewTopic(TOPIC, 1, (short) 3).configs(Map.of("min.insync.replicas", "3")),
                            new NewTopic("repacked", 1, (short) 3).configs(Map.of("compression.type", "lz4")),
                            new NewTopic("a_b", 1, (short) 1)))
                    .all()
                    .get();
        }
        leader = portOf(cluster.awaitIsr(TOPIC, 0, 3).leader());
        bystander = new RawClient(leader);
        assertThat(produce(TOPIC, batch(CompressionType.NONE, 3))).isEqualTo(Errors.NONE);
    }

    @AfterAll
    static void stop() throws IOException {
        bystander.close();
        cluster.close();
    }

    @BeforeEach
    void remember() throws IOException {
        image = cluster.quorum().converged();
        controller = cluster.quorum().leader();
        end = endOffset(TOPIC);
    }

    @AfterEach
    void nothingHasChanged() throws IOException {
        assertThat(bystander.call(new ApiVersionsRequest.Builder().build())).isInstanceOf(ApiVersionsResponse.class);
        assertThat(endOffset(TOPIC)).isEqualTo(end);
        assertThat(endOffset("repacked")).isZero();
        assertThat(cluster.quorum().leader()).isSameAs(controller);
        ClusterImage now = cluster.quorum().converged();
        assertThat(now.topics()).isEqualTo(image.topics());
        assertThat(now.brokers()).isEqualTo(image.brokers());
        assertThat(now.configs()).isEqualTo(image.configs());
        assertThat(now.nextProducerId()).isEqualTo(image.nextProducerId());
        assertThat(cluster.fatal()).isEmpty();
        assertThat(cluster.quorum().failures()).isEmpty();
        try (Stream<Path> entries = Files.list(root)) {
            assertThat(entries.map(path -> path.getFileName().toString()))
                    .allMatch(name -> name.matches("(broker|controller)-\\d+"));
        }
        // The cluster still takes what is right, at all replicas.
        assertThat(produce(TOPIC, batch(CompressionType.NONE, 1))).isEqualTo(Errors.NONE);
    }

    // --- bytes

    @Test
    void strangersAtAControllersPortAreCutOffOrIgnored() throws IOException {
        byte[] hello = {0x16, 0x03, 0x01, 0x00, (byte) 0xC8, 0x01, 0x00, 0x00, (byte) 0xC4, 0x03, 0x03};
        for (QuorumVoter voter : cluster.quorum().voters()) {
            for (byte[] bytes : List.of(
                    RawClient.ints(0),
                    RawClient.ints(-1),
                    RawClient.ints(Integer.MAX_VALUE, 1, 2),
                    "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                    Arrays.copyOf(hello, 205))) {
                try (RawClient client = new RawClient(voter.port())) {
                    client.send(bytes);
                }
            }
            // HTTP/2, as the controllers speak, and then a frame of 16 MB.
            try (RawClient client = new RawClient(voter.port())) {
                client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                client.send(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
                client.send(new byte[] {(byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0, 0, 0, 0, 0, 1});
                client.send(new byte[1 << 16]);
            }
        }
    }

    @Test
    void strangersAtABrokersPortAreCutOff() throws IOException {
        for (byte[] bytes : List.of(
                RawClient.ints(0),
                RawClient.ints(-1),
                RawClient.ints(Integer.MAX_VALUE),
                "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                new byte[] {0x16, 0x03, 0x01, 0x00, (byte) 0xC8, 0x01, 0x00, 0x00, (byte) 0xC4, 0x03, 0x03})) {
            try (RawClient client = new RawClient(leader)) {
                client.send(bytes);
                assertThat(client.closedByPeer()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, -2, Integer.MIN_VALUE, 1 << 24})
    void absurdCountsCloseTheConnection(int count) throws IOException {
        if (count > 0) { // a negative one asks for all topics
            closesAfter(ApiKeys.METADATA, 1, body -> body.putInt(count));
        }
        closesAfter(
                ApiKeys.PRODUCE,
                7,
                body -> body.putShort((short) -1)
                        .putShort((short) -1)
                        .putInt(1000)
                        .putInt(count));
        closesAfter(
                ApiKeys.PRODUCE,
                7,
                body -> text(
                                body.putShort((short) -1)
                                        .putShort((short) -1)
                                        .putInt(1000)
                                        .putInt(1),
                                "t")
                        .putInt(count));
        closesAfter(
                ApiKeys.FETCH,
                5,
                body -> body.putInt(-1)
                        .putInt(0)
                        .putInt(0)
                        .putInt(100)
                        .put((byte) 0)
                        .putInt(count));
        closesAfter(ApiKeys.CREATE_TOPICS, 2, body -> body.putInt(count));
        closesAfter(
                ApiKeys.CREATE_TOPICS,
                2,
                body -> text(body.putInt(1), "t").putInt(1).putShort((short) 1).putInt(count));
    }

    @Test
    void aVarintWithoutEndClosesTheConnection() throws IOException {
        byte[] endless = {-1, -1, -1, -1, -1, -1, -1};
        closesAfter(ApiKeys.METADATA, 12, body -> body.put((byte) 0).put(endless));
        closesAfter(ApiKeys.METADATA, 12, body -> body.put((byte) 0).put((byte) 0x80));
        closesAfter(ApiKeys.PRODUCE, 9, body -> body.put((byte) 0).put(endless));
        closesAfter(ApiKeys.FETCH, 12, body -> body.put((byte) 0).put(endless));
        closesAfter(ApiKeys.CREATE_TOPICS, 5, body -> body.put((byte) 0).put(endless));
    }

    private static ByteBuffer text(ByteBuffer buffer, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return buffer.putShort((short) bytes.length).put(bytes);
    }

    /** A request of that body; header version 1 or, for flexible versions, 2 (the body brings its empty tags). */
    private static void closesAfter(ApiKeys key, int version, Consumer<ByteBuffer> body) throws IOException {
        ByteBuffer request = ByteBuffer.allocate(200);
        request.putShort(key.id).putShort((short) version).putInt(1).putShort((short) -1);
        body.accept(request);
        try (RawClient client = new RawClient(leader)) {
            client.send(RawClient.frame(request.flip()));
            assertThat(client.closedByPeer()).as("%s %s", key, version).isTrue();
        }
    }

    /** Every row of three bytes would become an object: the request is cut off before they fill the heap. */
    @Test
    void aProduceRequestOfTinyRowsClosesTheConnection() throws IOException {
        int rows = 30_000_000;
        ByteBuffer request = ByteBuffer.allocate(rows * 3 + 100);
        request.putShort(ApiKeys.PRODUCE.id)
                .putShort((short) 9)
                .putInt(1)
                .putShort((short) -1)
                .put((byte) 0)
                .put((byte) 0)
                .putShort((short) -1)
                .putInt(1000);
        org.apache.kafka.common.utils.ByteUtils.writeUnsignedVarint(rows + 1, request);
        for (int i = 0; i < rows; i++) {
            request.put((byte) 1).put((byte) 1).put((byte) 0); // no name, no partition, no tag
        }
        request.put((byte) 0).flip();
        try (RawClient client = new RawClient(leader)) {
            client.send(RawClient.frame(request));
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    // --- batches

    @Test
    void batchesThatLieAreRefused() throws IOException {
        assertThat(refusal(batch -> batch.put(70, (byte) (batch.get(70) ^ 1)), false))
                .isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(refusal(batch -> batch.put(16, (byte) 0), true)).isEqualTo(Errors.INVALID_RECORD);
        assertThat(refusal(batch -> batch.put(16, (byte) 1), true)).isEqualTo(Errors.INVALID_RECORD);
        assertThat(refusal(batch -> batch.put(16, (byte) 3), true)).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(refusal(batch -> batch.put(16, (byte) 127), true)).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(refusal(batch -> batch.put(16, (byte) -1), true)).isEqualTo(Errors.CORRUPT_MESSAGE);
        for (int count : new int[] {0, -1, 2, 4, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(refusal(batch -> batch.putInt(57, count), true))
                    .as("count %s", count)
                    .isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
            assertThat(refusal(batch -> batch.putInt(57, count).putInt(23, count - 1), true))
                    .as("count and delta %s", count)
                    .isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
        }
        for (int delta : new int[] {0, -1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThat(refusal(batch -> batch.putInt(23, delta), true))
                    .as("delta %s", delta)
                    .isEqualTo(Errors.INVALID_RECORD);
        }
        for (int length : new int[] {-1, 0, 13, 48, 1, Integer.MIN_VALUE}) {
            assertThat(refusal(batch -> batch.putInt(8, length), false))
                    .as("length %s", length)
                    .isEqualTo(Errors.CORRUPT_MESSAGE);
        }
        for (int length : new int[] {60, 10_000, Integer.MAX_VALUE}) {
            assertThat(refusal(batch -> batch.putInt(8, length), false))
                    .as("length %s", length)
                    .isIn(Errors.CORRUPT_MESSAGE, Errors.INVALID_RECORD);
        }
        assertThat(refusal(batch -> batch.putShort(21, (short) 0x20), true)).isEqualTo(Errors.INVALID_RECORD);
        for (short codec : new short[] {1, 2, 3, 4, 5, 7}) {
            assertThat(refusal(batch -> batch.putShort(21, codec), true))
                    .as("codec %s of bytes that are not packed", codec)
                    .isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
        }
        assertThat(produce(TOPIC, ByteBuffer.allocate(0))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(produce(TOPIC, ByteBuffer.allocate(61))).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(produce(TOPIC, null)).isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void twoBatchesForOnePartitionAreRefused() throws IOException {
        ByteBuffer one = batch(CompressionType.NONE, 2);
        ByteBuffer two = ByteBuffer.allocate(2 * one.remaining())
                .put(one.duplicate())
                .put(one.duplicate())
                .flip();
        assertThat(produce(TOPIC, two)).isEqualTo(Errors.INVALID_RECORD);
    }

    /** Few bytes that unpack to very many: as one record, and as millions of them. */
    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"GZIP", "LZ4", "ZSTD", "SNAPPY"})
    void recordsThatUnpackToGigabytesAreRefused(CompressionType codec) throws IOException {
        // Zstandard reaches that below a megabyte; the others by their nature need more bytes, so less is enough here.
        long size = codec == CompressionType.ZSTD ? 1100L << 20 : 200L << 20;
        ByteBuffer oneRecord = packed(codec, 1, out -> {
            varint(out, (int) size);
            zeros(out, size);
        });
        ByteBuffer manyRecords = packed(codec, 1, out -> {
            byte[] records = new byte[1 << 20];
            for (int i = 0; i + 8 <= records.length; i += 8) {
                records[i] = 14; // 7 bytes
                records[i + 4] = 1;
                records[i + 5] = 1;
            }
            for (long written = 0; written < size; written += records.length) {
                out.write(records);
            }
        });
        for (String topic : List.of(TOPIC, "repacked")) {
            assertThat(produce(topic, oneRecord)).isEqualTo(Errors.MESSAGE_TOO_LARGE);
            manyRecords.putInt(57, 100_000_000).putInt(23, 99_999_999);
            seal(manyRecords);
            assertThat(produce(topic, manyRecords)).isEqualTo(Errors.MESSAGE_TOO_LARGE);
            manyRecords.putInt(57, 900_000).putInt(23, 899_999);
            seal(manyRecords);
            assertThat(produce(topic, manyRecords)).isIn(Errors.MESSAGE_TOO_LARGE, Errors.INVALID_RECORD);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"GZIP", "LZ4", "ZSTD", "SNAPPY"})
    void packedRecordsThatAnnounceMoreThanThereIsAreRefused(CompressionType codec) throws IOException {
        for (int length : new int[] {1_000_000_000, Integer.MAX_VALUE, 60 << 20, -1, Integer.MIN_VALUE}) {
            ByteBuffer lying = packed(codec, 1, out -> {
                varint(out, length);
                zeros(out, 100);
            });
            for (String topic : List.of(TOPIC, "repacked")) {
                assertThat(produce(topic, lying))
                        .as("%s %s", topic, length)
                        .isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
            }
        }
        ByteBuffer garbage = packed(CompressionType.NONE, 1, out -> zeros(out, 50));
        garbage.putShort(21, (short) codec.id);
        seal(garbage);
        ByteBuffer cut = batch(codec, 50);
        cut = ByteBuffer.allocate(cut.remaining() - 9)
                .put(cut.slice(0, cut.remaining() - 9))
                .flip();
        cut.putInt(8, cut.remaining() - 12);
        seal(cut);
        for (String topic : List.of(TOPIC, "repacked")) {
            assertThat(produce(topic, garbage)).isEqualTo(Errors.INVALID_RECORD);
            assertThat(produce(topic, cut)).isEqualTo(Errors.INVALID_RECORD);
        }
    }

    /** Both of snappy's lengths are an announcement that its reader believes. */
    @Test
    void aSnappyChunkThatAnnouncesAGigabyteIsRefused() throws IOException {
        byte[] header = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0, 0, 0, 0, 1, 0, 0, 0, 1};
        for (byte[] chunk : List.of(RawClient.ints(400 << 20, 0), RawClient.ints(Integer.MAX_VALUE), new byte[] {
            0, 0, 0, 8, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 1, 0, 0, 0
        })) {
            ByteBuffer batch = packed(CompressionType.NONE, 1, out -> {
                out.write(header);
                out.write(chunk);
            });
            batch.putShort(21, (short) CompressionType.SNAPPY.id);
            seal(batch);
            assertThat(produce(TOPIC, batch)).isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
            assertThat(produce("repacked", batch)).isIn(Errors.INVALID_RECORD, Errors.MESSAGE_TOO_LARGE);
        }
    }

    private interface Content {
        void write(java.io.OutputStream out) throws IOException;
    }

    private static ByteBuffer packed(CompressionType codec, int count, Content content) throws IOException {
        ByteBufferOutputStream bytes = new ByteBufferOutputStream(1 << 20);
        bytes.buffer().put(batch(CompressionType.NONE, 1).slice(0, HEADER_BYTES));
        try (var out = Compression.of(codec).build().wrapForOutput(bytes, RecordBatch.MAGIC_VALUE_V2)) {
            content.write(out);
        }
        ByteBuffer batch = bytes.buffer().flip();
        batch.putInt(8, batch.remaining() - 12);
        batch.putShort(21, (short) codec.id);
        batch.putInt(23, count - 1);
        batch.putInt(57, count);
        seal(batch);
        return batch;
    }

    private static void varint(java.io.OutputStream out, int value) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(5);
        org.apache.kafka.common.utils.ByteUtils.writeVarint(value, buffer);
        out.write(buffer.array(), 0, buffer.position());
    }

    private static void zeros(java.io.OutputStream out, long bytes) throws IOException {
        byte[] zeros = new byte[1 << 20];
        for (long left = bytes; left > 0; left -= zeros.length) {
            out.write(zeros, 0, (int) Math.min(left, zeros.length));
        }
    }

    private static Errors refusal(Consumer<ByteBuffer> change, boolean seal) throws IOException {
        ByteBuffer batch = batch(CompressionType.NONE, 3);
        change.accept(batch);
        if (seal) {
            seal(batch);
        }
        return produce(TOPIC, batch);
    }

    private static ByteBuffer batch(CompressionType codec, int count) {
        SimpleRecord[] records = IntStream.range(0, count)
                .mapToObj(i -> new SimpleRecord(("value " + i).getBytes(StandardCharsets.US_ASCII)))
                .toArray(SimpleRecord[]::new);
        return MemoryRecords.withRecords(Compression.of(codec).build(), records).buffer();
    }

    private static void seal(ByteBuffer batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(21));
        batch.putInt(17, (int) crc.getValue());
    }

    private static Errors produce(String topic, ByteBuffer batch) throws IOException {
        try (RawClient client = new RawClient(portOf(cluster.partition(topic, 0).leader()))) {
            return produceTo(client, topic, batch);
        }
    }

    private static Errors produceTo(RawClient client, String topic, ByteBuffer batch) throws IOException {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(SLOW_MS);
        var row = new ProduceRequestData.PartitionProduceData()
                .setIndex(0)
                .setRecords(batch == null ? null : MemoryRecords.readableRecords(batch));
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData().setName(topic).setPartitionData(List.of(row)));
        ProduceResponse response = (ProduceResponse) client.call(new ProduceRequest(request, PRODUCE_VERSION));
        return Errors.forCode(response.data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .errorCode());
    }

    private static long endOffset(String topic) throws IOException {
        try (RawClient client = new RawClient(portOf(cluster.partition(topic, 0).leader()))) {
            ListOffsetsRequestData request = new ListOffsetsRequestData()
                    .setReplicaId(-1)
                    .setTopics(List.of(new ListOffsetsRequestData.ListOffsetsTopic()
                            .setName(topic)
                            .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition()
                                    .setPartitionIndex(0)
                                    .setTimestamp(ListOffsetsRequest.LATEST_TIMESTAMP)))));
            ListOffsetsResponse response = (ListOffsetsResponse) client.call(ListOffsetsRequest.parse(
                    org.apache.kafka.common.protocol.MessageUtil.toByteBufferAccessor(request, (short) 7), (short) 7));
            var row = response.data().topics().get(0).partitions().get(0);
            assertThat(Errors.forCode(row.errorCode())).isEqualTo(Errors.NONE);
            return row.offset();
        }
    }

    // --- topics

    @Test
    void namesThatNoTopicMayHaveAreRefused() throws IOException {
        for (String name : List.of(
                ".", "..", "a/b", "../x", "", " ", "trailing ", "x".repeat(250), "b\u00e4r", "a\0b", "a\nb", "a\\b")) {
            assertThat(create(topic -> topic.setName(name)))
                    .as("name '%s'", name)
                    .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        }
        // Its metrics would be those of a_b.
        assertThat(create(topic -> topic.setName("a.b"))).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(create(topic -> topic.setName(TOPIC))).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
    }

    @Test
    void sizesThatNoTopicMayHaveAreRefused() throws IOException {
        for (int partitions : new int[] {0, -2, Integer.MIN_VALUE}) {
            assertThat(create(topic -> topic.setNumPartitions(partitions))).isEqualTo(Errors.INVALID_PARTITIONS);
        }
        for (int partitions : new int[] {20_000, 1_000_000, Integer.MAX_VALUE}) {
            assertThat(create(topic -> topic.setNumPartitions(partitions)))
                    .as("%s partitions", partitions)
                    .isIn(Errors.INVALID_PARTITIONS, Errors.POLICY_VIOLATION);
        }
        for (int factor : new int[] {0, -2, 4, Short.MAX_VALUE}) {
            assertThat(create(topic -> topic.setReplicationFactor((short) factor)))
                    .as("replication factor %s", factor)
                    .isEqualTo(Errors.INVALID_REPLICATION_FACTOR);
        }
        for (List<Integer> replicas :
                List.of(List.of(1, 1), List.<Integer>of(), List.of(1, 99), List.of(-1), List.of(1, 2, 2))) {
            assertThat(create(topic -> {
                        topic.setNumPartitions(-1).setReplicationFactor((short) -1);
                        topic.assignments()
                                .add(new CreatableReplicaAssignment()
                                        .setPartitionIndex(0)
                                        .setBrokerIds(replicas));
                        return topic;
                    }))
                    .as("replicas %s", replicas)
                    .isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        }
    }

    @Test
    void thousandsOfTopicsWithTooManyPartitionsInOneCallAreRefusedTogether() throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(SLOW_MS);
        for (int i = 0; i < 3_000; i++) {
            request.topics()
                    .add(new CreatableTopic()
                            .setName("many-" + i)
                            .setNumPartitions(5)
                            .setReplicationFactor((short) 1));
        }
        assertThat(create(request)).containsOnlyKeys(Errors.POLICY_VIOLATION);
    }

    private static Errors create(UnaryOperator<CreatableTopic> change) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(SLOW_MS);
        request.topics()
                .add(change.apply(new CreatableTopic()
                        .setName("fresh")
                        .setNumPartitions(1)
                        .setReplicationFactor((short) 1)));
        Map<Errors, Integer> errors = create(request);
        assertThat(errors).hasSize(1);
        return errors.keySet().iterator().next();
    }

    private static Map<Errors, Integer> create(CreateTopicsRequestData request) throws IOException {
        try (RawClient client = new RawClient(leader)) {
            CreateTopicsResponse response =
                    (CreateTopicsResponse) client.call(new CreateTopicsRequest.Builder(request).build((short) 7));
            return response.errorCounts();
        }
    }

    private static int portOf(int broker) {
        return cluster.image().broker(broker).endpoints().get(0).port();
    }
}
