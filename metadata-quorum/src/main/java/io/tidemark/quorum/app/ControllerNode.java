package io.tidemark.quorum.app;

import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.LeadershipConfig;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.core.BalanceSchedule;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.ratis.CoreDecisions;
import io.tidemark.quorum.ratis.FatalHandler;
import io.tidemark.quorum.ratis.QuorumServer;
import io.tidemark.quorum.ratis.QuorumSettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A controller as configured, whatever process it runs in. */
public final class ControllerNode implements AutoCloseable {
    private final QuorumServer server;
    /** Null if there is none, or it is another's. */
    private final HealthServer ownHealth;

    private ControllerNode(QuorumServer server, HealthServer ownHealth) {
        this.server = server;
        this.ownHealth = ownHealth;
    }

    /**
     * Starts it in a directory that the caller has opened and closes later. When this returns it listens and takes part
     * in the quorum; whether there is an acting controller depends on the others.
     *
     * @param fatal what to do when it can no longer take part
     * @throws IOException if it cannot listen, or its log cannot be read
     */
    public static ControllerNode start(ControllerConfig config, NodeDirectory directory, FatalHandler fatal)
            throws IOException {
        HealthServer health = HealthServer.start(config.health(), "controller-" + config.nodeId());
        try {
            QuorumServer server = serve(config, directory, fatal);
            if (health != null) {
                ControllerHealth told = new ControllerHealth(server, directory.path());
                health.add(told::collect);
                health.add("/warnings", query -> told.warnings());
                health.ready(told::readiness);
            }
            return new ControllerNode(server, health);
        } catch (IOException | RuntimeException e) {
            if (health != null) {
                health.close();
            }
            throw e;
        }
    }

    /**
     * As {@link #start(ControllerConfig, NodeDirectory, FatalHandler)}, in a process whose port for health is another
     * node's: it gets the controller's metrics.
     *
     * @param health null if there is none
     */
    public static ControllerNode start(
            ControllerConfig config, NodeDirectory directory, FatalHandler fatal, HealthServer health)
            throws IOException {
        QuorumServer server = serve(config, directory, fatal);
        if (health != null) {
            health.add(new ControllerHealth(server, directory.path())::collect);
        }
        return new ControllerNode(server, null);
    }

    private static QuorumServer serve(ControllerConfig config, NodeDirectory directory, FatalHandler fatal)
            throws IOException {
        LeadershipConfig leadership = config.leadership();
        ControllerSettings rules = new ControllerSettings(
                directory.clusterId(),
                config.topicDefaults().partitions(),
                config.topicDefaults().replicationFactor(),
                config.maxPartitionsPerRequest(),
                config.topicDeletion(),
                leadership.isolationFailover());
        CoreDecisions decisions = new CoreDecisions(
                rules,
                config.session().sessionTimeoutMs(),
                config.session().heartbeatIntervalMs(),
                new BalanceSchedule(
                        leadership.autoRebalance() ? leadership.imbalanceCheckIntervalMs() : 0,
                        leadership.uncleanIntervalMs()));
        return QuorumServer.start(settings(config, directory), decisions, fatal);
    }

    private static QuorumSettings settings(ControllerConfig config, NodeDirectory directory) {
        return new QuorumSettings(
                config.nodeId(),
                config.voters(),
                directory.clusterId(),
                directory.path(),
                config.rpc(),
                config.electionTimeoutMinMs(),
                config.electionTimeoutMaxMs(),
                config.snapshots().maxIntervalMs(),
                config.snapshots().maxLogBytes(),
                QuorumSettings.SEGMENT_BYTES,
                QuorumSettings.KEPT_ENTRIES,
                QuorumSettings.NO_OP_INTERVAL_MS,
                config.history(),
                clusterDefaults(config));
    }

    /** What topics get that do not set it themselves; kept in the cluster from its first entry on. */
    private static Map<String, String> clusterDefaults(ControllerConfig config) {
        Map<String, String> defaults = new HashMap<>();
        defaults.put(
                ClusterImage.MIN_ISR_KEY,
                Integer.toString(config.topicDefaults().minInsyncReplicas()));
        if (config.uncleanElection().enabled()) {
            defaults.put("unclean.leader.election.enable", "true");
        }
        config.uncleanElection().chosen().ifPresent(strategy -> defaults.put("unclean.recovery.strategy", strategy));
        return defaults;
    }

    /** Where it tells how it is, -1 if that is not its own to tell. */
    int healthPort() {
        return ownHealth == null ? -1 : ownHealth.port();
    }

    /** What this controller has applied. */
    public ClusterImage image() {
        return server.image();
    }

    /** Whether this is the acting controller. */
    public boolean leads() {
        return server.leads();
    }

    /** Whether it takes part: there is an acting controller, this one or one that it follows. */
    public boolean takesPart() {
        return server.leads() || server.follows();
    }

    /** Hands the leadership over if it has it, and stops; takes a few seconds at most. */
    @Override
    public void close() throws IOException {
        if (ownHealth != null) {
            ownHealth.close();
        }
        server.close();
    }
}
