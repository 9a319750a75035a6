package io.tidemark.broker.app;

import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import io.tidemark.quorum.FreePorts;
import io.tidemark.quorum.ratis.QuorumHarness;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** A whole cluster in this process: a real quorum, real brokers on free ports, real files below a test's folder. */
public final class BrokerCluster implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path root;
    private final QuorumHarness quorum;
    private final Map<Integer, Broker> brokers = new TreeMap<>();
    private final Map<Integer, NodeDirectory> nodes = new TreeMap<>();
    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final Map<String, String> extra;
    private final IntFunction<Map<String, String>> own;
    private final List<String> fatal = new CopyOnWriteArrayList<>();

    public BrokerCluster(Path root, int controllers, int brokerCount, long sessionMs, Map<String, String> extra) {
        this(root, QuorumHarness.withCore(root, controllers, sessionMs), brokerCount, extra);
    }

    /** @param own what a broker of that id has beside what all have */
    BrokerCluster(
            Path root,
            int controllers,
            int brokerCount,
            long sessionMs,
            Map<String, String> extra,
            IntFunction<Map<String, String>> own) {
        this(root, QuorumHarness.withCore(root, controllers, sessionMs), brokerCount, extra, own);
    }

    /** Brokers 1, 2, ... of that quorum, which this closes. */
    public BrokerCluster(Path root, QuorumHarness quorum, int brokerCount, Map<String, String> extra) {
        this(root, quorum, brokerCount, extra, id -> Map.of());
    }

    private BrokerCluster(
            Path root,
            QuorumHarness quorum,
            int brokerCount,
            Map<String, String> extra,
            IntFunction<Map<String, String>> own) {
        this.root = root;
        this.extra = extra;
        this.own = own;
        this.quorum = quorum;
        for (int id = 1; id <= brokerCount; id++) {
            NodeDirectory.format(directory(id), quorum.clusterId(), id, false);
            start(id);
        }
    }

    public QuorumHarness quorum() {
        return quorum;
    }

    public Path directory(int id) {
        return root.resolve("broker-" + id);
    }

    /** Starts it on a free port, and again on the one it had before. */
    public void start(int id) {
        String listener = "PLAINTEXT://127.0.0.1:" + ports.computeIfAbsent(id, broker -> FreePorts.next());
        Map<String, String> properties = new HashMap<>(Map.of(
                "process.roles",
                "broker",
                "node.id",
                String.valueOf(id),
                "controller.quorum.voters",
                quorum.voters().stream()
                        .map(voter -> voter.id() + "@" + voter.host() + ":" + voter.port())
                        .collect(Collectors.joining(",")),
                "log.dirs",
                directory(id).toString(),
                "listeners",
                listener,
                "advertised.listeners",
                listener,
                "health.port",
                "0"));
        properties.putAll(extra);
        properties.putAll(own.apply(id));
        BrokerConfig config = BrokerConfig.from(new ConfigReader("test", properties));
        try {
            nodes.put(id, NodeDirectory.open(config.directory(), id));
            Broker broker = new Broker(config, nodes.get(id), quorum.rpc(), fatal::add);
            brokers.put(id, broker);
            broker.start();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where that broker tells how it is. */
    int healthPort(int id) {
        return brokers.get(id).healthPort();
    }

    /** Stops in order. */
    public void stop(int id) {
        brokers.remove(id).close();
        nodes.remove(id).close();
    }

    /** Stops without a word to anybody, as a killed process would, as far as one process can. */
    public void kill(int id) {
        brokers.remove(id).closeAbruptly();
        nodes.remove(id).close();
    }

    public String bootstrap() {
        return brokers.values().stream()
                .map(broker -> broker.endpoints().get(0))
                .map((Endpoint endpoint) -> endpoint.host() + ":" + endpoint.port())
                .collect(Collectors.joining(","));
    }

    public List<String> fatal() {
        return fatal;
    }

    public ClusterImage image() {
        return brokers.values().iterator().next().image();
    }

    public PartitionState partition(String topic, int partition) {
        TopicState state = image().topic(topic);
        return state == null ? null : state.partition(partition);
    }

    public PartitionState awaitIsr(String topic, int partition, int size) {
        return Awaitility.await("ISR of " + size)
                .atMost(PATIENCE)
                .until(
                        () -> partition(topic, partition),
                        state -> state != null && state.isr().size() == size);
    }

    @Override
    public void close() {
        brokers.values().forEach(Broker::closeAbruptly);
        nodes.values().forEach(NodeDirectory::close);
        quorum.close();
    }
}
