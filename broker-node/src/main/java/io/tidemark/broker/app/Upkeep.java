package io.tidemark.broker.app;

import io.tidemark.broker.health.FollowerLag;
import io.tidemark.broker.health.LagTrend;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.config.BrokerConfig;
import java.io.IOException;
import java.util.function.Consumer;

/** What a broker does over and over beside its loops: checkpoints, retention, a look at its lease and at its followers. */
final class Upkeep {
    private static final long CHECKPOINT_LOGS_MS = 60_000;

    private final BrokerConfig config;
    private final BrokerThreads threads;
    private final DataDirectory directory;
    private final Partitions partitions;
    private final AllHosts hosts;
    private final Consumer<String> fatal;

    /** Something that may fail for want of a disk, which ends the broker. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** {@code fatal} is told why the broker can no longer run. */
    Upkeep(
            BrokerConfig config,
            BrokerThreads threads,
            DataDirectory directory,
            Partitions partitions,
            AllHosts hosts,
            Consumer<String> fatal) {
        this.config = config;
        this.threads = threads;
        this.directory = directory;
        this.partitions = partitions;
        this.hosts = hosts;
        this.fatal = fatal;
    }

    /** Begins; {@link BrokerThreads#stopPeriodicWork} ends it. {@code keepKnown} keeps what is known of the metadata. */
    void start(Work keepKnown, LeaderLease lease, LagTrend trend) {
        every(
                config.replication().highWatermarkCheckpointIntervalMs(),
                () -> directory.checkpointHighWatermarks(hosts.highWatermarks()));
        every(config.replication().highWatermarkCheckpointIntervalMs(), keepKnown);
        every(CHECKPOINT_LOGS_MS, () -> {
            directory.checkpointRecoveryPoints();
            directory.checkpointLogStarts();
        });
        every(config.session().heartbeatIntervalMs(), () -> look(lease));
        every(trend.everyMs(), () -> FollowerLag.of(partitions, trend.everyMs()).ifPresent(trend::look));
        every(config.log().retentionCheckIntervalMs(), () -> {
            long nowMs = System.currentTimeMillis();
            hosts.post(host -> host.applyRetention(nowMs));
        });
        every(config.log().producerIdExpirationCheckIntervalMs(), () -> {
            long nowMs = System.currentTimeMillis();
            hosts.post(host -> host.forgetSilentProducers(nowMs));
        });
    }

    private void look(LeaderLease lease) {
        if (!lease.runs(MonoClock.SYSTEM.now())) {
            hosts.post(PartitionHost::leaseRanOut);
        }
    }

    private void every(long intervalMs, Work work) {
        threads.every(intervalMs, () -> {
            try {
                work.run();
            } catch (IOException | RuntimeException e) {
                fatal.accept("a checkpoint cannot be written: " + e);
            }
        });
    }
}
