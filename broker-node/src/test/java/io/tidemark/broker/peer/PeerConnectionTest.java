package io.tidemark.broker.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.net.CallHandler;
import io.tidemark.broker.net.Listener;
import io.tidemark.broker.net.LoopHost;
import io.tidemark.broker.net.NetServer;
import io.tidemark.broker.net.NetSettings;
import io.tidemark.model.metadata.Endpoint;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests to another broker: their answers with the records' memory, and the one end all failures lead to. */
class PeerConnectionTest {
    private static final PeerSettings SETTINGS = new PeerSettings("peer", 2000, 10_000, 100 << 20);

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final NetServer server = new NetServer(NetSettings.defaults(2), failures::add);
    private final LoopHost loop = server.loops().get(0);

    @AfterEach
    void stop() {
        server.close();
        assertThat(failures).isEmpty();
    }

    private int serve(CallHandler handler) throws IOException {
        return server.bind(Listener.plaintext("L", "127.0.0.1", 0), handler);
    }

    private PeerConnection open(String host, int port, PeerSettings settings) {
        CompletableFuture<PeerConnection> opened = new CompletableFuture<>();
        loop.execute(() -> opened.complete(PeerConnection.open(loop, new Endpoint("L", host, port), settings)));
        return opened.join();
    }

    /** Collects outcomes; keeps the records of the answers. */
    private final class Outcome implements PeerCallback {
        final CompletableFuture<PeerResponse> response = new CompletableFuture<>();

        @Override
        public void answered(PeerResponse answer) {
            assertThat(loop.inLoop()).isTrue();
            answer.retainFrame();
            response.complete(answer);
        }

        @Override
        public void failed(Throwable cause) {
            response.completeExceptionally(cause);
        }

        Throwable cause() throws Exception {
            try {
                response.get(10, TimeUnit.SECONDS);
                throw new AssertionError("was answered");
            } catch (ExecutionException e) {
                return e.getCause();
            }
        }
    }

    private Outcome send(PeerConnection connection) {
        Outcome outcome = new Outcome();
        FetchRequest request = new FetchRequest(
                new FetchRequestData().setMaxWaitMs(1).setClusterId(null), ApiKeys.FETCH.latestVersion());
        loop.execute(() -> connection.send(request, outcome));
        return outcome;
    }

    private static FetchResponse fetched(MemoryRecords records) {
        return FetchResponse.of(new FetchResponseData()
                .setResponses(List.of(new FetchResponseData.FetchableTopicResponse()
                        .setTopicId(new Uuid(1, 1))
                        .setPartitions(List.of(new FetchResponseData.PartitionData()
                                .setPartitionIndex(0)
                                .setHighWatermark(1)
                                .setRecords(records))))));
    }

    private static MemoryRecords records(int bytes) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, null, new byte[bytes]));
    }

    @Test
    void answersComeInOrderWithTheirRecords() throws Exception {
        List<Call> calls = new CopyOnWriteArrayList<>();
        PeerConnection connection = open("127.0.0.1", serve(calls::add), SETTINGS);
        Outcome first = send(connection);
        Outcome second = send(connection);
        await().until(() -> calls.size() == 2);
        assertThat(calls.get(0).header().clientId()).isEqualTo("peer");
        calls.get(1).respond(fetched(records(2_000_000)));
        calls.get(0).respond(fetched(records(10)));
        check(first, records(10));
        check(second, records(2_000_000));
        assertThat(connection.usable()).isTrue();
        loop.execute(connection::close);
    }

    private static void check(Outcome outcome, MemoryRecords expected) throws Exception {
        PeerResponse response = outcome.response.get(10, TimeUnit.SECONDS);
        MemoryRecords records = (MemoryRecords) ((FetchResponse) response.body())
                .data()
                .responses()
                .get(0)
                .partitions()
                .get(0)
                .records();
        assertThat(records).isEqualTo(expected);
        assertThat(records.buffer().isDirect()).isTrue();
        response.releaseFrame();
    }

    @Test
    void aNameIsResolvedOffTheLoop() throws Exception {
        PeerConnection connection = open("localhost", serve(call -> call.respond(fetched(records(1)))), SETTINGS);
        check(send(connection), records(1));
        PeerConnection nowhere = open("no-such-host.invalid", 1, SETTINGS);
        assertThat(send(nowhere).cause()).isInstanceOf(UnknownHostException.class);
        assertThat(nowhere.usable()).isFalse();
    }

    @Test
    void aRefusedConnectionFailsWhatWasSentAndWhatIsSentLater() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0)) {
            port = taken.getLocalPort();
        }
        PeerConnection connection = open("127.0.0.1", port, SETTINGS);
        assertThat(send(connection).cause()).isInstanceOf(IOException.class);
        assertThat(connection.usable()).isFalse();
        assertThat(send(connection).cause()).isInstanceOf(IOException.class);
    }

    @Test
    void aClosedConnectionFailsEverythingPending() throws Exception {
        List<Call> calls = new CopyOnWriteArrayList<>();
        PeerConnection connection = open("127.0.0.1", serve(calls::add), SETTINGS);
        Outcome first = send(connection);
        Outcome second = send(connection);
        await().until(() -> calls.size() == 2);
        calls.get(0).closeConnection("test");
        assertThat(first.cause()).isInstanceOf(IOException.class);
        assertThat(second.cause()).isInstanceOf(IOException.class);
    }

    @Test
    void silenceEndsTheConnectionAfterTheRequestsTime() throws Exception {
        PeerConnection connection = open("127.0.0.1", serve(call -> {}), new PeerSettings("peer", 2000, 50, 1 << 20));
        assertThat(send(connection).cause())
                .hasMessageContaining("no answer to FETCH")
                .hasMessageContaining("50 ms");
        assertThat(connection.usable()).isFalse();
    }

    @Test
    void anUnreadableAnswerEndsTheConnection() throws Exception {
        try (ServerSocket impostor = new ServerSocket(0)) {
            PeerConnection connection = open("127.0.0.1", impostor.getLocalPort(), SETTINGS);
            Outcome outcome = send(connection);
            try (Socket accepted = impostor.accept()) {
                assertThat(accepted.getInputStream().read()).isZero(); // the request has come: its length begins
                accepted.getOutputStream().write(new byte[] {0, 0, 0, 6, 0, 0, 0, 0, 9, 9});
                assertThat(outcome.cause()).hasMessageContaining("not readable");
                assertThat(accepted.getInputStream().readAllBytes()).isNotEmpty(); // and ends: closed by us
            }
        }
    }
}
