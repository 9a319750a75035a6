package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real rules in a real quorum: brokers come, lead, fall silent and stop in order. */
class CoreQuorumTest {
    @TempDir
    private Path folder;

    private final Map<Integer, Long> epochs = new ConcurrentHashMap<>();
    private final Set<Integer> silent = ConcurrentHashMap.newKeySet();
    private final Set<Integer> stopping = ConcurrentHashMap.newKeySet();
    private final Set<Integer> mayStop = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
    private QuorumHarness quorum;
    private HarnessClient client;
    private ServerSocket listener;

    @BeforeEach
    void startThreeBrokers() throws IOException {
        // Accepts for all of them, as paused processes do: what is tested here is the session's doing.
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        quorum = QuorumHarness.withCore(folder, 3, 1_000);
        quorum.leader();
        client = new HarnessClient(quorum);
        for (int id = 1; id <= 3; id++) {
            QuorumReply.Answer answer = client.submit(new QuorumCommand.RegisterBroker(
                    quorum.clusterId(),
                    id,
                    "incarnation-" + id,
                    List.of("directory-" + id),
                    List.of(new Endpoint("PLAINTEXT", "127.0.0.1", listener.getLocalPort())),
                    "",
                    -1,
                    "",
                    false,
                    1,
                    1,
                    List.of()));
            assertThat(answer.error()).as("%s", answer).isEqualTo(ErrorCode.NONE);
            epochs.put(id, answer.brokerEpoch());
        }
        beats.scheduleAtFixedRate(this::beat, 0, 100, TimeUnit.MILLISECONDS);
        await(
                "all unfenced",
                image -> image.brokers().size() == 3
                        && image.brokers().values().stream().allMatch(broker -> broker.active()));
    }

    @AfterEach
    void stop() throws IOException {
        beats.shutdownNow();
        client.close();
        quorum.close();
        listener.close();
        assertThat(quorum.failures()).isEmpty();
    }

    private void beat() {
        epochs.forEach((id, epoch) -> {
            if (!silent.contains(id)) {
                try {
                    Heartbeat heartbeat =
                            new Heartbeat(id, epoch, quorum.leader().image().index(), false, stopping.contains(id));
                    if (client.heartbeat(heartbeat).shouldShutDown()) {
                        mayStop.add(id);
                    }
                } catch (IOException | RuntimeException e) {
                    // The next beat tries again.
                }
            }
        });
    }

    @Test
    void aSilentBrokerIsFencedAndAStoppingOneHandsOverFirst() throws IOException {
        client.submit(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic("orders", 1, 3, List.of(), Map.of())), false, "me"));
        int first = partition(quorum.converged()).leader();
        silent.add(first);
        await(
                "another leads",
                image -> partition(image).hasLeader() && partition(image).leader() != first);
        ClusterImage fenced = quorum.converged();
        assertThat(fenced.broker(first).fenced()).isTrue();
        assertThat(partition(fenced).isr()).doesNotContain(first).hasSize(2);

        int second = partition(fenced).leader();
        stopping.add(second);
        await("the stopping one may stop", image -> mayStop.contains(second));
        ClusterImage after = quorum.converged();
        assertThat(partition(after).leader()).isNotIn(first, second, PartitionState.NO_LEADER);
        assertThat(after.broker(second).fenced()).isTrue();
        assertThat(quorum.servers()).allSatisfy(server -> {
            assertThat(server.voidEntries()).isZero();
            assertThat(server.image().digest()).isEqualTo(after.digest());
        });
    }

    @Test
    void anotherControllerGivesEveryBrokerAFreshSession() {
        quorum.kill(quorum.leader().nodeId());
        ClusterImage image = quorum.leader().image();
        assertThat(image.brokers().values()).allMatch(broker -> !broker.fenced());
        silent.add(2);
        await(
                "the silent one is fenced by the new controller",
                later -> later.broker(2).fenced());
        assertThat(quorum.leader().image().broker(1).fenced()).isFalse();
    }

    private static PartitionState partition(ClusterImage image) {
        return image.topic("orders").partition(0);
    }

    private void await(String what, Predicate<ClusterImage> condition) {
        Awaitility.await(what)
                .atMost(QuorumHarness.PATIENCE)
                .until(() -> condition.test(quorum.leader().image()));
    }
}
