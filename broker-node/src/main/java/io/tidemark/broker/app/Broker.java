package io.tidemark.broker.app;

import io.tidemark.broker.api.ApiDispatcher;
import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.group.GroupSettings;
import io.tidemark.broker.group.Groups;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.net.ConnectionSettings;
import io.tidemark.broker.net.NetServer;
import io.tidemark.broker.quorum.MetadataListener;
import io.tidemark.broker.quorum.QuorumLink;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.runtime.AlterPartitionSender;
import io.tidemark.broker.runtime.LogStore;
import io.tidemark.broker.runtime.MetadataPublisher;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker: recovers its logs, listens, registers, follows the metadata from its registration on, and is ready when it
 * is unfenced. What is opened first is closed last.
 */
public final class Broker {
    private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
    /** Levels of the metadata log this version reads. */
    private static final int MIN_LEVEL = 1;

    private static final int MAX_LEVEL = 1;
    private static final long SHUTDOWN_BEAT_MS = 50;
    private static final long CLOSE_LOGS_MS = 20_000;

    private final BrokerConfig config;
    private final NodeDirectory node;
    private final Consumer<String> fatal;
    private final BrokerHealth health;
    private final Storage storage;
    private final KnownMetadata known;
    private final BrokerThreads threads;
    private final QuorumLink link;
    private final LeaderLease lease;
    private final NetServer server;
    private final Partitions partitions;
    private final AllHosts hosts;
    private final MetadataPublisher publisher;
    private final Groups groups;
    private final ConnectionLimits limits;
    private final Heartbeats heartbeats;
    private final Feed feed = new Feed();
    private final List<Endpoint> endpoints;
    private final CountDownLatch caughtUp = new CountDownLatch(1);
    private volatile long brokerEpoch = -1;
    private volatile boolean stopping;
    /** Why the metadata must not be followed, found in the first image; else null. */
    private volatile String refusal;

    /**
     * Opens and recovers everything and listens; {@link #start} does the rest.
     *
     * @param node the caller opened it and closes it after this broker
     * @param fatal told why this broker can no longer run; it ends the process
     */
    public Broker(BrokerConfig config, NodeDirectory node, QuorumRpc rpc, Consumer<String> fatal)
            throws IOException, InterruptedException {
        this(config, node, rpc, fatal, BrokerHealth.open(config));
    }

    Broker(BrokerConfig config, NodeDirectory node, QuorumRpc rpc, Consumer<String> fatal, BrokerHealth health)
            throws IOException, InterruptedException {
        this.config = config;
        this.node = node;
        this.fatal = fatal;
        this.health = health;
        TopicSettings topicDefaults = BrokerSettings.topicDefaults(config);
        this.storage = Storage.open(node.path(), topicDefaults.log(), health.recovery());
        this.known = KnownMetadata.read(node.path());
        this.threads = new BrokerThreads(config.nodeId());
        this.link = new QuorumLink(BrokerSettings.link(config, node.clusterId(), rpc));
        ConnectionSettings connections = BrokerSettings.connections(config);
        this.server = new NetServer(BrokerSettings.net(config), connections, failure -> {
            LOG.error("a network loop failed", failure);
            fatal.accept("a network loop failed: " + failure);
        });
        this.lease = LeaderLease.of(
                config.session().sessionTimeoutMs() - config.session().heartbeatIntervalMs());
        ReplicaSettings replicaSettings = BrokerSettings.replicas(config, lease);
        this.partitions =
                LoopWiring.make(config.network().loops(), ports(), storage.logs(), topicDefaults, replicaSettings);
        this.hosts = new AllHosts(partitions);
        this.publisher = new MetadataPublisher(replicaSettings, topicDefaults, partitions);
        this.groups = new Groups(
                config.nodeId(), new GroupSettings(config.groups()), topicDefaults, publisher::image, partitions, link);
        this.limits = new ConnectionLimits(
                config.nodeId(), connections, publisher::image, threads.blocking(), server::limits);
        this.heartbeats = new Heartbeats(
                config.nodeId(), () -> brokerEpoch, publisher::image, () -> stopping, lease, health, fatal);
        LoopWiring.join(
                partitions,
                server,
                publisher::image,
                BrokerSettings.fetchers(config, () -> brokerEpoch),
                BrokerSettings.peers(config));
        this.endpoints = bind();
    }

    private PartitionLoop.Ports ports() {
        AlterPartitionSender alter =
                new AlterPartitionSender(config.nodeId(), () -> brokerEpoch, link, threads.isrChanges()::execute);
        return new PartitionLoop.Ports(
                threads.blocking(),
                threads.readers(),
                alter,
                new LogStore(storage.directory(), node.path(), this::directoryFailed));
    }

    /** R7.23: there is no other directory, and as long as this broker is there no other leads what it cannot write. */
    private void directoryFailed(LogName log, IOException problem) {
        if (!stopping) {
            fatal.accept("the data directory " + node.path() + " fails, first seen in " + log + ": " + problem);
        }
    }

    private List<Endpoint> bind() throws IOException {
        FetchHandler fetches = ServedApis.fetches(config, publisher, partitions);
        health.serves(partitions, fetches, publisher::image, () -> brokerEpoch, lease);
        ApiDispatcher apis = ServedApis.all(
                config, node, () -> brokerEpoch, publisher, link, groups, partitions, fetches, threads.blocking());
        return BoundListeners.bind(server, config.listeners(), apis);
    }

    /** Registers and returns once this broker is unfenced. Throws IOException if the quorum refuses it for good. */
    public void start() throws IOException, InterruptedException {
        requireSameHistory();
        brokerEpoch = Registration.register(
                link,
                new QuorumCommand.RegisterBroker(
                        node.clusterId(),
                        config.nodeId(),
                        Uuids.random(),
                        List.of(node.directoryId()),
                        endpoints,
                        config.rack().orElse(""),
                        storage.previousBrokerEpoch(),
                        storage.evidence(),
                        storage.nothingLost(),
                        MIN_LEVEL,
                        MAX_LEVEL,
                        storage.reports(config.nodeId())),
                () -> stopping);
        LOG.info("registered with broker epoch {}", brokerEpoch);
        link.follow(feed);
        caughtUp.await();
        if (refusal != null) {
            throw new IOException(refusal);
        }
        known.reached(brokerEpoch, true);
        publisher.removeStrays();
        link.heartbeats(heartbeats::next, heartbeats::answered);
        new Upkeep(config, threads, storage.directory(), partitions, hosts, fatal)
                .start(() -> known.reached(publisher.image().index(), false), lease, health.trend());
        heartbeats.awaitUnfenced();
    }

    /** Asks until somebody answers; a broker that must stay out must not register first. */
    private void requireSameHistory() throws IOException, InterruptedException {
        while (!stopping) {
            try {
                QuorumQuery.Recovery told =
                        link.members().toCompletableFuture().get().recovery();
                String problem = known.problemWith(told, -1);
                if (problem != null) {
                    throw new IOException(problem);
                }
                return;
            } catch (ExecutionException e) {
                LOG.info("waiting for an acting controller: {}", e.getCause().getMessage());
            }
        }
    }

    /** Whether what the controllers say belongs to what this broker knows: null, or why not. */
    private interface Judgement {
        String problem() throws IOException;
    }

    /** Publishes the metadata from this broker's own registration on: before it, the log speaks of an earlier incarnation. */
    private final class Feed implements MetadataListener {
        private boolean ended;

        @Override
        public synchronized void onImage(ClusterImage before, ClusterImage after, List<IndexedEntry> entries) {
            if (ended || after.index() < brokerEpoch || !isOurHistory(after)) {
                return;
            }
            publisher.publish(after);
            groups.published(after);
            limits.published(after);
            caughtUp.countDown();
            BrokerState self = after.broker(config.nodeId());
            if (self != null && self.epoch() == brokerEpoch && !self.fenced()) {
                heartbeats.unfenced();
            }
        }

        /** Before anything of it is acted on: what this history does not know would be removed. */
        private boolean isOurHistory(ClusterImage image) {
            String problem = problem(() -> known.problemWithHistory(image.historyId()));
            if (problem == null) {
                return true;
            }
            ended = true;
            if (caughtUp.getCount() > 0) {
                refusal = problem;
                caughtUp.countDown();
            } else {
                fatal.accept(problem);
            }
            return false;
        }

        /** The controllers may be made anew under a broker that runs. */
        @Override
        public boolean onRecovery(QuorumQuery.Recovery recovery, long index) {
            String problem = problem(() -> known.problemWith(recovery, index));
            if (problem != null) {
                fatal.accept(problem);
            }
            return problem == null;
        }

        private static String problem(Judgement judgement) {
            try {
                return judgement.problem();
            } catch (IOException e) {
                return "what is known of the metadata cannot be kept: " + e;
            }
        }

        @Override
        public synchronized void onFailure(RuntimeException cause) {
            if (!ended) {
                fatal.accept("the metadata log cannot be followed: " + cause);
            }
        }

        /** From the return of this on nothing is published: what is closed now would be opened again. */
        synchronized void end() {
            ended = true;
        }
    }

    /** Where clients reach this broker. */
    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Where it tells how it is, -1 if it does not. */
    int healthPort() {
        return health.port();
    }

    /** The metadata this broker acts on. */
    public ClusterImage image() {
        return publisher.image();
    }

    /** Orderly stop in bounded time: leaders move away, logs are closed, the clean marker is written last (R7.4). */
    public void close() {
        boolean registered = brokerEpoch >= 0;
        stopping = true;
        health.stops();
        try {
            if (registered && caughtUp.getCount() == 0 && refusal == null) {
                handOver();
            }
            feed.end();
            groups.close();
            threads.stopPeriodicWork();
            health.close();
            server.unbind();
            boolean allClosed = closeLogs();
            server.close();
            link.close();
            // What they still do needs the index.
            threads.stop();
            if (registered && allClosed) {
                known.reached(publisher.image().index(), true);
                storage.directory().closeCleanly(brokerEpoch);
                LOG.info("stopped in order");
            } else {
                storage.directory().close();
                LOG.warn("stopped; the next start recovers the logs");
            }
        } catch (IOException e) {
            LOG.error("the stop was not orderly, the next start recovers the logs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            threads.stop();
        }
    }

    /** Stops without a word to anybody and without closing a log, as far as a live process can be like a killed one. */
    void closeAbruptly() {
        stopping = true;
        health.close();
        feed.end();
        // While its loops still run, or its threads would wait for them.
        groups.close();
        threads.stopPeriodicWork();
        link.close();
        server.close();
        threads.stop();
        storage.directory().close();
    }

    private void handOver() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.controlledShutdownMaxWaitMs());
        do {
            link.heartbeatNow();
        } while (!heartbeats.awaitShutdownGranted(SHUTDOWN_BEAT_MS) && System.nanoTime() < deadline);
        if (!heartbeats.awaitShutdownGranted(0)) {
            LOG.warn(
                    "the quorum did not grant the stop within {} ms; stopping without",
                    config.controlledShutdownMaxWaitMs());
        }
    }

    private boolean closeLogs() throws IOException {
        storage.directory().checkpointHighWatermarks(hosts.highWatermarks());
        return hosts.close(CLOSE_LOGS_MS);
    }
}
