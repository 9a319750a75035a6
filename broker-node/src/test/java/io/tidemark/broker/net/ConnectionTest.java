package io.tidemark.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tidemark.broker.runtime.HostedLoop;
import io.tidemark.model.MonoTime;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One connection on a real socket: order, limits, zero copy and what becomes of frames and regions. */
class ConnectionTest {
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private NetServer server;

    @AfterEach
    void stop() {
        server.close();
        assertThat(failures).isEmpty();
    }

    private RawClient serve(NetSettings settings, CallHandler handler) throws IOException {
        server = new NetServer(settings, failures::add);
        return new RawClient(server.bind(Listener.plaintext("L", "127.0.0.1", 0), handler));
    }

    private static ApiVersionsRequest ping() {
        return new ApiVersionsRequest.Builder().build();
    }

    private static ApiVersionsResponse pong(int throttleTimeMs) {
        return new ApiVersionsResponse(new ApiVersionsResponseData().setThrottleTimeMs(throttleTimeMs));
    }

    @Test
    void answersLeaveInTheOrderOfTheRequests() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(2), calls::add)) {
            for (int i = 0; i < 5; i++) {
                client.send(ping());
            }
            await().until(() -> calls.size() == 5); // none waited for the answer of another
            for (int i : new int[] {3, 4, 1, 2}) {
                calls.get(i).respond(pong(i));
            }
            calls.get(0).respond(pong(0));
            for (int i = 0; i < 5; i++) {
                assertThat(((ApiVersionsResponse) client.receive(ping(), i)).throttleTimeMs())
                        .isEqualTo(i);
            }
        }
    }

    @Test
    void aCallIsAnsweredOnce() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(1), call -> {
            assertThat(call.respond(pong(1))).isTrue();
            assertThat(call.respond(pong(2))).isFalse();
            assertThat(call.respondEmpty()).isFalse();
        })) {
            assertThat(((ApiVersionsResponse) client.call(ping())).throttleTimeMs())
                    .isEqualTo(1);
            assertThat(((ApiVersionsResponse) client.call(ping())).throttleTimeMs())
                    .isEqualTo(1);
        }
    }

    @Test
    void anEmptyAnswerLeavesNothingOnTheWire() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(1), call -> {
            if (call.body() instanceof ProduceRequest) {
                call.respondEmpty();
            } else {
                call.respond(pong(9));
            }
        })) {
            for (int i = 0; i < 1000; i++) {
                client.send(produce((short) 0, records(10)));
            }
            client.send(ping());
            assertThat(((ApiVersionsResponse) client.receive(ping(), 1000)).throttleTimeMs())
                    .isEqualTo(9);
        }
    }

    @Test
    void aConnectionWithTooMuchOutstandingIsNotRead() throws Exception {
        try (RawClient client = serve(new NetSettings(1, 1 << 20, 3, 1 << 20), calls::add)) {
            for (int i = 0; i < 10; i++) {
                client.send(ping());
            }
            await().until(() -> calls.size() == 3);
            try (RawClient other = new RawClient(client.port())) {
                other.send(ping()); // the loop itself goes on, and has had time to take more
                await().until(() -> calls.size() == 4);
                assertThat(calls.get(3).connectionId())
                        .isNotEqualTo(calls.get(0).connectionId());
                calls.remove(3).respond(pong(0));
            }
            for (int i = 0; i < 10; i++) {
                int next = i;
                await().until(() -> calls.size() > next);
                assertThat(calls.size()).isLessThanOrEqualTo(next + 3);
                calls.get(i).respond(pong(i));
                assertThat(((ApiVersionsResponse) client.receive(ping(), i)).throttleTimeMs())
                        .isEqualTo(i);
            }
        }
    }

    @Test
    void bytesOutstandingAreBoundedToo() throws Exception {
        try (RawClient client = serve(new NetSettings(1, 1 << 20, 100, 2000), calls::add)) {
            for (int i = 0; i < 4; i++) {
                client.send(produce((short) -1, records(900)));
            }
            await().until(() -> calls.size() == 2);
            calls.get(0).closeConnection("enough");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(calls).hasSize(2);
        }
    }

    @Test
    void recordsAreReadableWhileTheirFrameIsRetained() throws Exception {
        List<MemoryRecords> kept = new CopyOnWriteArrayList<>();
        try (RawClient client = serve(NetSettings.defaults(1), call -> {
            call.retainFrame();
            ProduceRequestData data = ((ProduceRequest) call.body()).data();
            kept.add((MemoryRecords)
                    data.topicData().iterator().next().partitionData().get(0).records());
            calls.add(call);
        })) {
            for (int i = 1; i <= 20; i++) {
                client.send(produce((short) -1, records(1000 * i)));
            }
            await().until(() -> calls.size() == 20);
            for (int i = 1; i <= 20; i++) {
                assertThat(kept.get(i - 1).buffer().isDirect()).isTrue();
                assertThat(kept.get(i - 1)).isEqualTo(records(1000 * i));
                assertThat(calls.get(i - 1).heldBytes()).isGreaterThan(1000 * i);
                calls.get(i - 1).releaseFrame();
            }
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> calls.get(0).releaseFrame())
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void fileRegionsAndMemoryMixInOneAnswerAndAreReleasedOnce(@TempDir Path directory) throws Exception {
        MemoryRecords first = records(100_000);
        MemoryRecords second = records(50);
        Path file = directory.resolve("segment");
        Files.write(file, new byte[] {1, 2, 3});
        AtomicInteger released = new AtomicInteger();
        try (FileChannel channel =
                FileChannel.open(file, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
            int size = first.sizeInBytes();
            channel.write(first.buffer().duplicate(), 3);
            RegionRecords halves = new RegionRecords(
                    List.of(region(channel, 3, 1000, released), region(channel, 1003, size - 1000, released)));
            try (RawClient client = serve(
                    NetSettings.defaults(1), call -> call.respond(fetched(halves, second, MemoryRecords.EMPTY)))) {
                FetchRequest request = fetch();
                FetchResponse response = (FetchResponse) client.call(request);
                List<FetchResponseData.PartitionData> partitions =
                        response.data().responses().get(0).partitions();
                assertThat(partitions.get(0).records()).isEqualTo(first);
                assertThat(partitions.get(1).records()).isEqualTo(second);
                assertThat(partitions.get(2).records().sizeInBytes()).isZero();
                await().until(() -> released.get() == 2);
                assertThat(channel.isOpen()).isTrue();
            }
        }
    }

    @Test
    void regionsOfAnswersThatNobodyTakesAreReleased(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("segment");
        Files.write(file, new byte[100]);
        AtomicInteger released = new AtomicInteger();
        try (FileChannel channel = FileChannel.open(file)) {
            try (RawClient client = serve(NetSettings.defaults(1), calls::add)) {
                client.send(fetch());
                client.send(fetch());
                client.send(fetch());
                await().until(() -> calls.size() == 3);
                // in the queue behind an unanswered one
                calls.get(1).respond(fetched(RegionRecords.of(region(channel, 0, 100, released))));
            }
            await().until(() -> !calls.get(0).connectionOpen());
            await().until(() -> released.get() == 1);
            calls.get(0).respond(fetched(RegionRecords.of(region(channel, 0, 100, released))));
            await().until(() -> released.get() == 2);
            // a second answer, and one that its version cannot carry
            calls.get(0).respond(fetched(RegionRecords.of(region(channel, 0, 100, released))));
            await().until(() -> released.get() == 3);
        }
    }

    @Test
    void anAnswerThatCannotBeWrittenClosesTheConnection(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("segment");
        Files.write(file, new byte[100]);
        AtomicInteger released = new AtomicInteger();
        try (FileChannel channel = FileChannel.open(file);
                RawClient client = serve(NetSettings.defaults(1), call -> {
                    FetchResponse response = fetched(RegionRecords.of(region(channel, 0, 100, released)));
                    response.data().responses().get(0).setTopic(null);
                    call.respond(response);
                })) {
            client.send(new FetchRequest(new FetchRequestData().setMaxWaitMs(1), (short) 12));
            assertThat(client.closedByPeer()).isTrue();
            assertThat(released.get()).isEqualTo(1);
        }
    }

    @Test
    void aHostedLoopGetsItsTurns() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(1), calls::add)) {
            LoopHost host = server.loops().get(0);
            List<MonoTime> turns = new CopyOnWriteArrayList<>();
            host.host(new HostedLoop() {
                private MonoTime deadline;

                @Override
                public void runOnce(MonoTime now) {
                    turns.add(now);
                    if (turns.size() == 1) {
                        deadline = now.plus(20);
                    } else if (now.compareTo(deadline) >= 0) {
                        deadline = now.plus(1_000_000);
                    }
                    for (Call call : List.copyOf(calls)) {
                        calls.remove(call);
                        call.respond(pong(turns.size())); // in the turn: flushed at its end
                    }
                }

                @Override
                public MonoTime nextDeadline() {
                    return deadline;
                }
            });
            await().until(() -> turns.size() >= 2);
            assertThat(turns.get(turns.size() - 1).since(turns.get(0))).isGreaterThanOrEqualTo(20);
            int before = turns.size();
            client.call(ping());
            assertThat(turns.size()).isGreaterThan(before);
            int settled = turns.size();
            host.wake();
            await().until(() -> turns.size() > settled);
        }
    }

    @Test
    void aFailedLoopIsReportedAndNotDrivenAgain() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(1), call -> call.respond(pong(0)))) {
            AtomicInteger turns = new AtomicInteger();
            server.loops().get(0).host(new HostedLoop() {
                @Override
                public void runOnce(MonoTime now) {
                    turns.incrementAndGet();
                    throw new IllegalStateException("lost");
                }

                @Override
                public MonoTime nextDeadline() {
                    return null;
                }
            });
            await().until(() -> failures.size() == 1);
            client.call(ping());
            assertThat(turns.get()).isEqualTo(1);
            failures.clear();
        }
    }

    @Test
    void aPortInUseIsSaidPlainly() throws Exception {
        try (RawClient client = serve(NetSettings.defaults(1), calls::add)) {
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> server.bind(Listener.plaintext("L", "127.0.0.1", client.port()), calls::add))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen on L://127.0.0.1:" + client.port());
        }
    }

    private static MemoryRecords records(int bytes) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, null, new byte[bytes]));
    }

    private static ProduceRequest produce(short acks, MemoryRecords records) {
        ProduceRequestData data = new ProduceRequestData().setAcks(acks).setTimeoutMs(1000);
        data.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setTopicId(new Uuid(1, 1))
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(records))));
        return new ProduceRequest(data, (short) 13);
    }

    private static FetchRequest fetch() {
        return new FetchRequest(new FetchRequestData().setMaxWaitMs(1), ApiKeys.FETCH.latestVersion());
    }

    private static FetchResponse fetched(BaseRecords... records) {
        List<FetchResponseData.PartitionData> partitions = new ArrayList<>();
        for (BaseRecords each : records) {
            partitions.add(new FetchResponseData.PartitionData()
                    .setPartitionIndex(partitions.size())
                    .setHighWatermark(1)
                    .setRecords(each));
        }
        return FetchResponse.of(new FetchResponseData()
                .setErrorCode(Errors.NONE.code())
                .setResponses(List.of(new FetchResponseData.FetchableTopicResponse()
                        .setTopicId(new Uuid(1, 1))
                        .setPartitions(partitions))));
    }

    private static RegionSource region(FileChannel channel, long position, int length, AtomicInteger released) {
        return new RegionSource() {
            @Override
            public FileChannel channel() {
                return channel;
            }

            @Override
            public long position() {
                return position;
            }

            @Override
            public int length() {
                return length;
            }

            @Override
            public void release() {
                released.incrementAndGet();
            }
        };
    }
}
