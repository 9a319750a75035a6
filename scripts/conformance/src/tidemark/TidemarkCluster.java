package io.tidemark.conformance;

import io.tidemark.broker.app.Broker;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigReader;
import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.quorum.app.ControllerNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Controllers and brokers of one test in this process, with files below one directory that goes with them. */
final class TidemarkCluster {
    /** What the test asks of its servers; ids as keys of {@code perServer}. */
    record Spec(
            Collection<Integer> controllers,
            Collection<Integer> brokers,
            String listener,
            Map<String, String> properties,
            Map<Integer, Map<String, String>> perServer) {}

    private final Spec spec;
    private final String clusterId = Uuids.random();
    private final Path root;
    private final String voters;
    private final Map<Integer, ControllerConfig> controllerConfigs = new TreeMap<>();
    private final Map<Integer, NodeDirectory> directories = new TreeMap<>();
    private final Map<Integer, ControllerNode> controllers = new TreeMap<>();
    private final Map<Integer, Broker> brokers = new TreeMap<>();
    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final List<String> fatal = new CopyOnWriteArrayList<>();

    /** Formats the directories. Throws ConfigException if Tidemark refuses the properties. */
    TidemarkCluster(Spec spec) throws IOException {
        this.spec = spec;
        this.voters = freeVoters(spec.controllers());
        this.root = Files.createTempDirectory("tidemark-");
        for (int id : spec.controllers()) {
            controllerConfigs.put(id, ControllerConfig.from(new ConfigReader("the test", controllerProperties(id))));
        }
        spec.brokers().forEach(this::brokerConfig);
        Stream.concat(spec.controllers().stream(), spec.brokers().stream())
                .forEach(id -> NodeDirectory.format(directory(id), clusterId, id, false));
    }

    String clusterId() {
        return clusterId;
    }

    List<String> fatal() {
        return fatal;
    }

    /** Every broker's port, running or not; a broker keeps its port. */
    synchronized Map<Integer, Integer> ports() {
        return new TreeMap<>(ports);
    }

    synchronized Set<Integer> running() {
        return Set.copyOf(brokers.keySet());
    }

    /** What each running broker acts on. */
    synchronized List<ClusterImage> images() {
        return brokers.values().stream().map(Broker::image).toList();
    }

    synchronized ClusterImage image(int broker) {
        return brokers.get(broker).image();
    }

    Path directory(int id) {
        return root.resolve("node-" + id);
    }

    /** Returns when all brokers are ready. */
    void start() {
        ServerThreads.run(() -> {
            startAll();
            return null;
        });
    }

    private void startAll() throws IOException {
        for (Map.Entry<Integer, ControllerConfig> controller : controllerConfigs.entrySet()) {
            int id = controller.getKey();
            NodeDirectory directory = NodeDirectory.open(directory(id), id);
            synchronized (this) {
                directories.put(id, directory);
                controllers.put(
                        id,
                        ControllerNode.start(
                                controller.getValue(),
                                directory,
                                (what, cause) -> fatal.add("controller " + id + ": " + what + " " + cause)));
            }
        }
        inParallel(spec.brokers(), this::bringUp);
    }

    /** Does nothing if it runs. */
    void startBroker(int id) {
        ServerThreads.run(() -> {
            bringUp(id);
            return null;
        });
    }

    private void bringUp(int id) {
        if (running().contains(id)) {
            return;
        }
        NodeDirectory directory = NodeDirectory.open(directory(id), id);
        try {
            BrokerConfig config = brokerConfig(id);
            Broker broker = new Broker(
                    config,
                    directory,
                    controllerConfigs.values().iterator().next().rpc(),
                    fatal::add);
            synchronized (this) {
                directories.put(id, directory);
                brokers.put(id, broker);
                broker.endpoints().forEach((Endpoint endpoint) -> ports.put(id, endpoint.port()));
            }
            broker.start();
        } catch (IOException e) {
            throw new IllegalStateException("broker " + id + " does not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** In order; does nothing if it is down. */
    void stopBroker(int id) {
        ServerThreads.run(() -> {
            takeDown(id);
            return null;
        });
    }

    private void takeDown(int id) {
        Broker broker;
        NodeDirectory directory;
        synchronized (this) {
            broker = brokers.remove(id);
            directory = broker == null ? null : directories.remove(id);
        }
        if (broker != null) {
            broker.close();
            directory.close();
        }
    }

    /**
     * Brokers first, since their orderly stop needs the controllers. These take a second for which no test waits, and
     * so do the files.
     */
    void stop() {
        ServerThreads.run(() -> {
            inParallel(running(), this::takeDown);
            ServerThreads.start(this::stopControllers);
            return null;
        });
    }

    private Void stopControllers() throws IOException {
        for (ControllerNode controller : controllers.values()) {
            controller.close();
        }
        directories.values().forEach(NodeDirectory::close);
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        return null;
    }

    private interface OnBroker {
        void run(int id);
    }

    private static void inParallel(Collection<Integer> ids, OnBroker action) {
        if (ids.isEmpty()) {
            return;
        }
        ExecutorService threads = Executors.newFixedThreadPool(ids.size());
        try {
            CompletableFuture.allOf(ids.stream()
                            .map(id -> CompletableFuture.runAsync(() -> action.run(id), threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } finally {
            threads.shutdownNow();
        }
    }

    /** What Kafka's broker would have been given. */
    Map<String, String> kafkaProperties(int id) {
        Map<String, String> properties = properties(id);
        properties.put("process.roles", "broker");
        properties.put("log.dirs", directory(id).toString());
        properties.put("controller.listener.names", "CONTROLLER");
        properties.putIfAbsent("listeners", spec.listener() + "://localhost:" + ports().getOrDefault(id, 0));
        properties.putIfAbsent(
                "listener.security.protocol.map", spec.listener() + ":PLAINTEXT,CONTROLLER:PLAINTEXT");
        properties.putIfAbsent("inter.broker.listener.name", spec.listener());
        return properties;
    }

    private Map<String, String> properties(int id) {
        Map<String, String> properties = new HashMap<>(spec.properties());
        properties.putAll(spec.perServer().getOrDefault(id, Map.of()));
        properties.put("node.id", Integer.toString(id));
        properties.put("controller.quorum.voters", voters);
        // Hundreds of clusters one after the other, and nobody looks.
        properties.put("health.port", "-1");
        return properties;
    }

    private Map<String, String> controllerProperties(int id) {
        Map<String, String> properties = properties(id);
        properties.put("process.roles", "controller");
        properties.put("metadata.log.dir", directory(id).toString());
        // A test waits for the first election; both ends are in one process.
        properties.put("quorum.election.timeout.min.ms", "150");
        properties.put("quorum.election.timeout.max.ms", "300");
        return properties;
    }

    private BrokerConfig brokerConfig(int id) {
        Map<String, String> properties = properties(id);
        int port = ports().getOrDefault(id, 0);
        properties.put("process.roles", "broker");
        properties.put("log.dirs", directory(id).toString());
        properties.putIfAbsent("listeners", spec.listener() + "://localhost:" + port);
        properties.putIfAbsent("listener.security.protocol.map", spec.listener() + ":PLAINTEXT");
        properties.putIfAbsent("inter.broker.listener.name", spec.listener());
        return BrokerConfig.from(new ConfigReader("the test", properties));
    }

    private static String freeVoters(Collection<Integer> ids) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<String> voters = new ArrayList<>();
        for (int id : ids) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            sockets.add(socket);
            voters.add(id + "@127.0.0.1:" + socket.getLocalPort());
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return voters.stream().collect(Collectors.joining(","));
    }
}
