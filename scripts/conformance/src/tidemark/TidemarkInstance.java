package io.tidemark.conformance;

import io.tidemark.model.config.ConfigException;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kafka.server.ControllerServer;
import kafka.server.KafkaBroker;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.apache.kafka.common.test.api.TestKitDefaults;
import org.apache.kafka.common.test.api.Type;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.fault.FaultHandlerException;
import org.apache.kafka.test.TestUtils;
import org.opentest4j.TestAbortedException;

/** What a test sees of its cluster: everything that a client of Tidemark could see, and nothing of Kafka's servers. */
public final class TidemarkInstance implements ClusterInstance {
    private final ClusterConfig config;
    private final boolean combined;
    private final Insides insides = new Insides();
    private final Set<Integer> brokerIds;
    private final Set<Integer> controllerIds;
    private TidemarkCluster cluster;
    private boolean started;
    private boolean stopped;

    public TidemarkInstance(ClusterConfig config, boolean combined) {
        this.config = config;
        this.combined = combined;
        this.brokerIds = ids(TestKitDefaults.BROKER_ID_OFFSET, config.numBrokers());
        this.controllerIds = ids(TestKitDefaults.CONTROLLER_ID_OFFSET, config.numControllers());
    }

    private static Set<Integer> ids(int first, int count) {
        return IntStream.range(first, first + count).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Makes the nodes' directories, one for each, however many the test asks for: what needs several is in exclusions.txt.
     * Aborts the test if it asks for a cluster that Tidemark does not have.
     */
    public void format() throws IOException {
        if (config.brokerSecurityProtocol() != SecurityProtocol.PLAINTEXT) {
            throw new TestAbortedException("not built: " + config.brokerSecurityProtocol());
        }
        try {
            cluster = new TidemarkCluster(new TidemarkCluster.Spec(
                    controllerIds,
                    brokerIds,
                    config.brokerListenerName().value(),
                    known(withoutFeatures(config)),
                    config.perServerOverrideProperties()));
        } catch (ConfigException e) {
            throw new TestAbortedException(
                    "not applicable: Tidemark refuses the test's server properties: " + String.join("; ", e.problems()),
                    e);
        }
    }

    /** Kafka has levels of features where Tidemark has a key: level 0 of group.version is no consumer protocol. */
    private static Map<String, String> withoutFeatures(ClusterConfig config) {
        Map<String, String> properties = new HashMap<>(config.serverProperties());
        if (config.features().getOrDefault(Feature.GROUP_VERSION, (short) 1) == 0) {
            properties.put("group.coordinator.rebalance.protocols", "classic");
        }
        return properties;
    }

    /** Without keys that the test made up: Kafka ignores them, Tidemark would take them for misspelt. */
    private static Map<String, String> known(Map<String, String> properties) {
        Set<String> keys = AbstractKafkaConfig.CONFIG_DEF.names();
        return properties.entrySet().stream()
                .filter(property -> keys.contains(property.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** See {@link Insides#explain}. */
    public Throwable explain(Throwable failure) {
        return insides.explain(failure);
    }

    @Override
    public Type type() {
        return combined ? Type.CO_KRAFT : Type.KRAFT;
    }

    @Override
    public ClusterConfig config() {
        return config;
    }

    @Override
    public Map<Integer, KafkaBroker> brokers() {
        return BrokerStandIn.all(brokerIds, cluster, insides);
    }

    @Override
    public Set<Integer> brokerIds() {
        return brokerIds;
    }

    @Override
    public List<Integer> brokerBoundPorts() {
        return List.copyOf(cluster.ports().values());
    }

    @Override
    public Map<Integer, ControllerServer> controllers() {
        return new ControllerStandIns(() -> cluster.images().get(0), insides);
    }

    @Override
    public List<Integer> controllerBoundPorts() {
        throw insides.reach("the controllers' own listener, which does not speak Kafka's protocol");
    }

    @Override
    public Set<Integer> controllerIds() {
        return controllerIds;
    }

    @Override
    public String bootstrapControllers() {
        throw insides.reach("the controllers' own listener, which does not speak Kafka's protocol");
    }

    @Override
    public ListenerName clientListener() {
        return config.brokerListenerName();
    }

    @Override
    public ListenerName controllerListenerName() {
        return config.controllerListenerName();
    }

    @Override
    public String bootstrapServers() {
        return cluster.ports().values().stream()
                .map(port -> "localhost:" + port)
                .collect(Collectors.joining(","));
    }

    @Override
    public String clusterId() {
        return cluster.clusterId();
    }

    @Override
    public Set<GroupProtocol> supportedGroupProtocols() {
        return Set.of(GroupProtocol.CLASSIC, GroupProtocol.CONSUMER);
    }

    @Override
    public List<Authorizer> authorizers() {
        throw insides.reach("authorizers");
    }

    @Override
    public Optional<FaultHandlerException> firstFatalException() {
        return cluster.fatal().stream().findFirst().map(FaultHandlerException::new);
    }

    @Override
    public Optional<FaultHandlerException> firstNonFatalException() {
        return Optional.empty();
    }

    @Override
    public void start() {
        if (started) {
            return;
        }
        started = true;
        cluster.start();
    }

    @Override
    public boolean started() {
        return started;
    }

    @Override
    public void stop() {
        if (stopped || cluster == null) {
            return;
        }
        stopped = true;
        cluster.stop();
    }

    @Override
    public boolean stopped() {
        return stopped;
    }

    @Override
    public void shutdownBroker(int brokerId) {
        cluster.stopBroker(brokerId);
    }

    @Override
    public void startBroker(int brokerId) {
        cluster.startBroker(brokerId);
    }

    @Override
    public void waitForReadyBrokers() throws InterruptedException {
        TestUtils.waitForCondition(
                () -> cluster.images().stream()
                        .allMatch(image -> brokerIds.stream().allMatch(id -> active(image, id))),
                60_000,
                "not all brokers are ready");
    }

    private static boolean active(ClusterImage image, int id) {
        BrokerState broker = image.broker(id);
        return broker != null && broker.active();
    }

    @Override
    public void waitTopicCreation(String topic, int partitions) throws InterruptedException {
        TestUtils.waitForCondition(
                () -> cluster.images().stream().allMatch(image -> hasPartitions(image, topic, partitions)),
                60_000,
                "not all brokers know " + partitions + " partitions of " + topic);
    }

    private static boolean hasPartitions(ClusterImage image, String topic, int partitions) {
        TopicState state = image.topic(topic);
        return state != null && state.partition(partitions - 1) != null && state.partition(partitions) == null;
    }

    @Override
    public void waitTopicDeletion(String topic) throws InterruptedException {
        TestUtils.waitForCondition(
                () -> cluster.images().stream().allMatch(image -> image.topic(topic) == null)
                        && brokerIds.stream()
                                .noneMatch(
                                        id -> Files.exists(cluster.directory(id).resolve(topic + "-0"))),
                60_000,
                topic + " is not gone everywhere");
    }

    @Override
    public void ensureConsistentMetadata() throws InterruptedException {
        TestUtils.waitForCondition(
                () -> cluster.images().stream()
                                .map(ClusterImage::tip)
                                .distinct()
                                .count()
                        <= 1,
                60_000,
                "the brokers' metadata differ");
    }

    @Override
    public void ensureConsistentMetadata(Collection<KafkaBroker> brokers, Collection<ControllerServer> controllers)
            throws InterruptedException {
        ensureConsistentMetadata();
    }
}
