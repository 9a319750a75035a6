package io.tidemark.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.DescribeClusterRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever bytes come in, that connection is closed and the others, old and new, are served. */
class BadInputTest {
    private static final int MAX_REQUEST = 20 << 20;

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private NetServer server;
    private int port;
    private RawClient bystander;

    @BeforeEach
    void start() throws IOException {
        server = new NetServer(new NetSettings(1, MAX_REQUEST, 128, 16 << 20), failures::add);
        port = server.bind(Listener.plaintext("L", "127.0.0.1", 0), call -> {
            if (call.body() instanceof ApiVersionsRequest request) {
                call.respond(
                        request.hasUnsupportedRequestVersion()
                                ? request.getErrorResponse(0, Errors.UNSUPPORTED_VERSION.exception())
                                : new ApiVersionsResponse(new ApiVersionsResponseData()));
            } else if (call.body() instanceof DescribeClusterRequest) {
                throw new IllegalStateException("a bug of the handler");
            } else {
                call.closeConnection(call.header().apiKey() + " is not offered");
            }
        });
        bystander = new RawClient(port);
        ping(bystander);
    }

    @AfterEach
    void stop() throws IOException {
        ping(bystander);
        try (RawClient fresh = new RawClient(port)) {
            ping(fresh);
        }
        bystander.close();
        await().until(() -> server.connectionCount() == 0);
        server.close();
        assertThat(failures).isEmpty();
    }

    private static void ping(RawClient client) throws IOException {
        assertThat(client.call(new ApiVersionsRequest.Builder().build())).isInstanceOf(ApiVersionsResponse.class);
    }

    private void closesAfter(byte[] bytes) throws IOException {
        try (RawClient client = new RawClient(port)) {
            ping(client);
            client.send(bytes);
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    void lengthsThatNoFrameHasCloseTheConnection() throws IOException {
        closesAfter(RawClient.ints(0));
        closesAfter(RawClient.ints(-1));
        closesAfter(RawClient.ints(Integer.MIN_VALUE));
        closesAfter(RawClient.ints(MAX_REQUEST + 1));
        closesAfter(RawClient.ints(Integer.MAX_VALUE, 1, 2, 3));
        closesAfter("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** No listener is secured yet; a client that thinks so gets nowhere, and the log says why. */
    @Test
    void securedClientsAreCutOffAndTheLogSaysWhy() throws IOException {
        byte[] hello = {0x16, 0x03, 0x01, 0x00, (byte) 0xC8, 0x01, 0x00, 0x00, (byte) 0xC4, 0x03, 0x03};
        try (LogLines log = new LogLines()) {
            closesAfter(hello);
            await().until(() -> log.complaints().stream().anyMatch(line -> line.contains("a TLS handshake")));
        }
        for (ApiKeys key : new ApiKeys[] {ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE}) {
            for (short version : key.allVersions()) {
                closesAfter(RawClient.frame(
                        ByteBuffer.wrap(SampleRequests.bytes(key, version, 1, SampleRequests.filled(key, version)))));
            }
        }
        // What SASL without a handshake looked like: bare tokens.
        closesAfter(RawClient.frame(
                ByteBuffer.wrap("\0user\0secret".getBytes(java.nio.charset.StandardCharsets.US_ASCII))));
    }

    @Test
    void garbageInAFrameClosesTheConnection() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            byte[] garbage = new byte[1 + random.nextInt(200)];
            random.nextBytes(garbage);
            garbage[0] = (byte) (garbage[0] | 0x40); // no api key is that high
            closesAfter(RawClient.frame(ByteBuffer.wrap(garbage)));
        }
    }

    @Test
    void unknownKeysAndVersionsCloseTheConnection() throws IOException {
        closesAfter(RawClient.frame(header(999, 0)));
        closesAfter(RawClient.frame(header(-1, 0)));
        closesAfter(RawClient.frame(header(ApiKeys.METADATA.id, 99)));
        closesAfter(RawClient.frame(header(ApiKeys.METADATA.id, -1)));
        closesAfter(RawClient.frame(header(ApiKeys.PRODUCE.id, 2)));
        closesAfter(RawClient.frame(header(ApiKeys.VOTE.id, 0)));
        closesAfter(RawClient.frame(header(ApiKeys.INIT_PRODUCER_ID.id, 6))); // exists, but is not stable
    }

    @Test
    void aRequestCutShortOrWithAbsurdCountsClosesTheConnection() throws IOException {
        ByteBuffer fetch = header(ApiKeys.FETCH.id, 12);
        closesAfter(RawClient.frame(fetch));
        ByteBuffer metadata = ByteBuffer.allocate(200);
        metadata.put(header(ApiKeys.METADATA.id, 1)).putInt(Integer.MAX_VALUE).flip();
        closesAfter(RawClient.frame(metadata));
    }

    @Test
    void aMillionTopicsInOneRequestCloseTheConnection() throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        for (int i = 0; i < 1_000_000; i++) {
            request.topics()
                    .add(new CreateTopicsRequestData.CreatableTopic()
                            .setName("t" + i)
                            .setNumPartitions(1)
                            .setReplicationFactor((short) 1));
        }
        try (RawClient client = new RawClient(port)) {
            client.send(new CreateTopicsRequest.Builder(request).build((short) 7));
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    void anApiVersionsRequestOfTheFutureIsAnsweredInVersionZero() throws IOException {
        try (RawClient client = new RawClient(port)) {
            ByteBuffer request = header(ApiKeys.API_VERSIONS.id, 77);
            client.send(RawClient.frame(request));
            ByteBuffer answer = ByteBuffer.wrap(client.receive());
            assertThat(answer.getInt()).isEqualTo(5); // correlation id, header version 0
            ApiVersionsResponseData data = new ApiVersionsResponseData(new ByteBufferAccessor(answer), (short) 0);
            assertThat(data.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(data.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion())
                    .isEqualTo(ApiKeys.API_VERSIONS.latestVersion());
            ping(client); // the connection goes on
        }
    }

    @Test
    void aHandlersFailureIsAnsweredAndTheConnectionGoesOn() throws IOException {
        try (RawClient client = new RawClient(port)) {
            var response = client.call(
                    new DescribeClusterRequest.Builder(new org.apache.kafka.common.message.DescribeClusterRequestData())
                            .build());
            assertThat(response.errorCounts()).containsKey(Errors.UNKNOWN_SERVER_ERROR);
            ping(client);
        }
    }

    @Test
    void halfAFrameAndAwayLeavesNothingBehind() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(RawClient.ints(100_000, 1, 2));
        }
        try (RawClient client = new RawClient(port)) {
            client.send(new byte[] {0, 0});
        }
        await().until(() -> server.connectionCount() == 1);
    }

    private static ByteBuffer header(int key, int version) {
        ByteBuffer buffer = ByteBuffer.allocate(20);
        buffer.putShort((short) key)
                .putShort((short) version)
                .putInt(5)
                .putShort((short) 1)
                .put((byte) 'c');
        buffer.put(new byte[2]);
        return buffer.flip();
    }
}
