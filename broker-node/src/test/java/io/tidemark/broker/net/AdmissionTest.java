package io.tidemark.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of the number of connections, of how long they may be silent, and of what their frames take together. */
class AdmissionTest {
    private static final int FOREVER = Integer.MAX_VALUE;
    private static final ApiVersionsRequest PING = new ApiVersionsRequest.Builder().build();

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<RawClient> clients = new ArrayList<>();
    /** Requests not answered yet, once {@link #hold} is set. */
    private final List<Call> held = new CopyOnWriteArrayList<>();

    private volatile boolean hold;
    private NetServer server;

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        server.close();
        assertThat(failures).isEmpty();
    }

    private int serve(ConnectionSettings limits) throws IOException {
        return serve(new NetServer(new NetSettings(2, 100 << 20, 128, 16 << 20), limits, failures::add), "CLIENTS");
    }

    private int serve(NetServer started, String listener) throws IOException {
        server = started;
        return server.bind(Listener.plaintext(listener, "127.0.0.1", 0), call -> {
            if (hold) {
                call.retainFrame();
                held.add(call);
            } else {
                call.respond(new ApiVersionsResponse(new ApiVersionsResponseData()));
            }
        });
    }

    private RawClient connect(int port) throws IOException {
        RawClient client = new RawClient(port);
        clients.add(client);
        return client;
    }

    private static void isServed(RawClient client) throws IOException {
        assertThat(client.call(PING)).isInstanceOf(ApiVersionsResponse.class);
    }

    private static ConnectionSettings limits(int max, int maxPerAddress, int perSecond, long maxIdleMs) {
        return new ConnectionSettings(max, maxPerAddress, Map.of(), perSecond, maxIdleMs, "BROKERS");
    }

    @Test
    void oneConnectionTooManyWaitsUntilAnotherCloses() throws IOException {
        int port = serve(limits(3, FOREVER, FOREVER, -1));
        for (int i = 0; i < 3; i++) {
            isServed(connect(port));
        }
        RawClient fourth = connect(port); // by the kernel
        fourth.send(PING);
        RawClient fifth = connect(port);
        fifth.send(PING);
        isServed(clients.get(0));
        assertThat(server.connectionCount()).isEqualTo(3);
        clients.get(1).close();
        assertThat(fourth.receive(PING, 0)).isInstanceOf(ApiVersionsResponse.class);
        assertThat(server.connectionCount()).isEqualTo(3);
        fourth.close();
        assertThat(fifth.receive(PING, 0)).isInstanceOf(ApiVersionsResponse.class);
    }

    @Test
    void brokersAreLetInBeyondTheLimitAndTheClientSilentLongestGoes() throws IOException {
        int port = serve(limits(2, FOREVER, FOREVER, -1));
        int brokers = serve(server, "BROKERS");
        RawClient silent = connect(port);
        isServed(silent);
        RawClient busy = connect(port);
        isServed(busy);
        isServed(connect(brokers));
        assertThat(silent.closedByPeer()).isTrue();
        isServed(busy);
    }

    @Test
    void oneConnectionTooManyFromOneAddressIsClosed() throws IOException {
        int port = serve(limits(FOREVER, 2, FOREVER, -1));
        isServed(connect(port));
        isServed(connect(port));
        assertThat(connect(port).closedByPeer()).isTrue();
        isServed(clients.get(0));
        clients.get(1).close();
        await().until(() -> server.connectionCount() == 1);
        await().untilAsserted(() -> isServed(connect(port)));
    }

    @Test
    void anAddressMayHaveALimitOfItsOwn() throws IOException {
        int port = serve(new ConnectionSettings(
                FOREVER, 0, Map.of(InetAddress.getByName("127.0.0.1"), 1), FOREVER, -1, "BROKERS"));
        isServed(connect(port));
        assertThat(connect(port).closedByPeer()).isTrue();
    }

    @Test
    void limitsChangeWhileConnectionsAreOpenAndWhoIsInStays() throws IOException {
        int port = serve(limits(2, FOREVER, FOREVER, -1));
        isServed(connect(port));
        isServed(connect(port));
        RawClient waiting = connect(port);
        waiting.send(PING);
        isServed(clients.get(0));
        assertThat(server.connectionCount()).isEqualTo(2);
        server.limits(limits(3, FOREVER, FOREVER, -1));
        assertThat(waiting.receive(PING, 0)).isInstanceOf(ApiVersionsResponse.class);
        server.limits(limits(FOREVER, 1, FOREVER, -1));
        assertThat(connect(port).closedByPeer()).isTrue();
        for (int i = 0; i < 3; i++) {
            isServed(clients.get(i));
        }
    }

    @Test
    void nobodyIsAcceptedFasterThanTheRate() throws IOException {
        int port = serve(limits(FOREVER, FOREVER, 20, -1));
        long start = System.nanoTime();
        for (int i = 0; i < 40; i++) {
            isServed(connect(port));
        }
        // A second's worth is free, the others come 50 ms apart; all are served in the end.
        assertThat(System.nanoTime() - start).isGreaterThan(850_000_000L);
    }

    @Test
    void aSilentConnectionIsClosedAndOneThatWaitsForItsAnswerIsNot() throws IOException {
        int port = serve(limits(FOREVER, FOREVER, FOREVER, 1_000));
        RawClient silent = connect(port);
        RawClient halfway = connect(port);
        halfway.send(new byte[] {0, 0});
        hold = true;
        RawClient waiting = connect(port);
        waiting.send(PING);
        await().until(() -> held.size() == 1);
        assertThat(silent.closedByPeer()).isTrue();
        assertThat(halfway.closedByPeer()).isTrue();
        await().until(() -> server.connectionCount() == 1);
        // Another one's time passes, too, and the first still waits.
        RawClient later = connect(port);
        assertThat(later.closedByPeer()).isTrue();
        held.get(0).respond(new ApiVersionsResponse(new ApiVersionsResponseData()));
        assertThat(waiting.receive(PING, 0)).isInstanceOf(ApiVersionsResponse.class);
        assertThat(waiting.closedByPeer()).isTrue();
    }

    @Test
    void aClientThatFindsNoMemoryForItsRequestWaitsForIt() throws Exception {
        NetSettings settings = new NetSettings(2, 100 << 20, 128, 16 << 20);
        int port = serve(new NetServer(settings, ConnectionSettings.UNLIMITED, 12 << 20, failures::add), "CLIENTS");
        hold = true;
        byte[] large = largeRequest();
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            RawClient client = connect(port);
            Thread sender = new Thread(() -> {
                try {
                    client.send(large);
                } catch (IOException e) {
                    failures.add(e);
                }
            });
            sender.start();
            senders.add(sender);
        }
        // Some are taken and held, and one more beyond the limit; the others cannot be read to their end.
        await().until(() -> !held.isEmpty());
        await().until(() -> server.frameBudget().exhausted());
        assertThat(held.size()).isLessThanOrEqualTo(5);
        assertThat(server.frameBudget().used()).isLessThanOrEqualTo((12 << 20) + 6 * (4 << 10));
        for (int answered = 0; answered < 6; answered++) {
            int next = answered;
            await().until(() -> held.size() > next);
            held.get(answered).respond(new ApiVersionsResponse(new ApiVersionsResponseData()));
            held.get(answered).releaseFrame();
        }
        for (Thread sender : senders) {
            sender.join();
        }
        for (RawClient client : clients) {
            assertThat(client.receive()).isNotEmpty();
        }
        await().until(() -> server.frameBudget().used() == 0);
        assertThat(server.connectionCount()).isEqualTo(6);
    }

    /** An ApiVersions request with 3 MB of a tag nobody knows. */
    private static byte[] largeRequest() {
        int size = 3 << 20;
        ByteBuffer request = ByteBuffer.allocate(size + 100);
        request.putShort((short) 18)
                .putShort((short) 3)
                .putInt(0)
                .putShort((short) -1)
                .put((byte) 0);
        request.put((byte) 2).put((byte) 'c').put((byte) 2).put((byte) '1');
        request.put((byte) 1).put((byte) 99);
        org.apache.kafka.common.utils.ByteUtils.writeUnsignedVarint(size, request);
        request.position(request.position() + size);
        return RawClient.frame(request.flip());
    }
}
