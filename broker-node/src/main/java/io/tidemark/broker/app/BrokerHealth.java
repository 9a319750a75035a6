package io.tidemark.broker.app;

import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.health.BrokerMetrics;
import io.tidemark.broker.health.LagTrend;
import io.tidemark.broker.health.LoopsAlive;
import io.tidemark.broker.health.MetadataWatch;
import io.tidemark.broker.health.ProblemsPage;
import io.tidemark.broker.health.RecoveryProgress;
import io.tidemark.broker.health.SessionWatch;
import io.tidemark.broker.health.WarningsPage;
import io.tidemark.broker.health.WhyPage;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.MonoTime;
import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.Readiness;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a broker tells on the health port of its process, as its life goes on: recovering, registering, catching up, fenced,
 * ready, stopping. Ready is a broker that is unfenced, whose metadata says so and keeps up with the acting controller's; it
 * stays ready while no controller can be heard, since what it leads goes on.
 */
final class BrokerHealth {
    /** Metadata that is followed at all is there within it, whatever the load. */
    private static final long BEHIND_MS = 10_000;
    /** Whoever scrapes waits longer. */
    private static final long METRICS_PATIENCE_MS = 5_000;

    private final BrokerConfig config;
    /** Null if there is none. */
    private final HealthServer server;

    private final boolean owned;
    private final RecoveryProgress recovery = new RecoveryProgress();
    private final SessionWatch session;
    private final MetadataWatch metadata = new MetadataWatch();
    private final LagTrend trend;
    private volatile boolean fencedByController = true;
    private volatile boolean stopping;

    private BrokerHealth(BrokerConfig config, HealthServer server, boolean owned) {
        this.config = config;
        this.server = server;
        this.owned = owned;
        this.session = new SessionWatch(config.session().sessionTimeoutMs());
        this.trend = new LagTrend(config.replication().lagTimeMaxMs());
        if (server != null) {
            server.ready(() -> Readiness.of(false, "recovering", recovery.facts()));
        }
    }

    /** On a port of its own; throws IOException if that is taken. */
    static BrokerHealth open(BrokerConfig config) throws IOException {
        return new BrokerHealth(config, HealthServer.start(config.health(), "broker-" + config.nodeId()), true);
    }

    /** On the port of the process; null if it has none. */
    static BrokerHealth on(BrokerConfig config, HealthServer server) {
        return new BrokerHealth(config, server, false);
    }

    RecoveryProgress recovery() {
        return recovery;
    }

    /** From here on the logs are open and clients are listened to. */
    void serves(
            Partitions partitions,
            FetchHandler fetches,
            Supplier<ClusterImage> image,
            LongSupplier brokerEpoch,
            LeaderLease lease) {
        if (server == null) {
            return;
        }
        server.add(WhyPage.PATH, new WhyPage(config.nodeId(), image, partitions));
        server.add(new BrokerMetrics(partitions, fetches, METRICS_PATIENCE_MS));
        server.add("/livez", new LoopsAlive(partitions));
        server.add("/problems", new ProblemsPage(config.nodeId(), image, partitions));
        server.add(
                "/warnings",
                new WarningsPage(
                        partitions, config.directory(), config.replication().lagTimeMaxMs(), session, trend));
        server.ready(() -> readiness(image.get(), brokerEpoch.getAsLong(), lease, MonoClock.SYSTEM.now()));
    }

    Readiness readiness(ClusterImage image, long brokerEpoch, LeaderLease lease, MonoTime now) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("broker", config.nodeId());
        facts.put("brokerEpoch", brokerEpoch);
        facts.put("metadataIndex", image.index());
        long behindMs = metadata.behindMs(image.index(), now.ms());
        facts.put("metadataBehindMs", behindMs);
        facts.put("silentMs", session.silentMs(now.ms()));
        facts.put("leaseRuns", lease.runs(now));
        String state = state(image, brokerEpoch, behindMs);
        return Readiness.of(state.equals("ready"), state, facts);
    }

    private String state(ClusterImage image, long brokerEpoch, long behindMs) {
        if (stopping) {
            return "stopping";
        } else if (brokerEpoch < 0) {
            return "registering";
        } else if (image.index() < brokerEpoch || behindMs > BEHIND_MS) {
            return "catching up";
        }
        BrokerState self = image.broker(config.nodeId());
        boolean unfenced = self != null && self.epoch() == brokerEpoch && !self.fenced() && !fencedByController;
        return unfenced ? "ready" : "fenced";
    }

    /**
     * A heartbeat that was sent then was answered.
     *
     * @param index last metadata entry that this broker has applied
     */
    void heartbeatAnswered(QuorumQuery.HeartbeatAnswer answer, MonoTime sent, long index) {
        fencedByController = answer.fenced();
        metadata.told(answer.metadataIndex(), index, sent.ms());
        session.answered(sent.ms());
    }

    /** How far others are behind what this broker leads. */
    LagTrend trend() {
        return trend;
    }

    void stops() {
        stopping = true;
    }

    /** The port in use, -1 if there is none. */
    int port() {
        return server == null ? -1 : server.port();
    }

    void close() {
        if (owned && server != null) {
            server.close();
        }
    }
}
