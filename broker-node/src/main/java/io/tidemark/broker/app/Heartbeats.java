package io.tidemark.broker.app;

import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What a registered broker says of itself in each heartbeat, and what follows from the acting controller's answers. */
final class Heartbeats {
    private final int brokerId;
    private final LongSupplier brokerEpoch;
    private final Supplier<ClusterImage> image;
    private final BooleanSupplier stopping;
    private final LeaderLease lease;
    private final BrokerHealth health;
    private final Consumer<String> fatal;
    private final CountDownLatch unfenced = new CountDownLatch(1);
    private final CountDownLatch shutdownGranted = new CountDownLatch(1);

    /**
     * @param image the one this broker acts on
     * @param stopping whether this broker wants to stop
     * @param lease is renewed by answers
     * @param fatal told why this broker can no longer run
     */
    Heartbeats(
            int brokerId,
            LongSupplier brokerEpoch,
            Supplier<ClusterImage> image,
            BooleanSupplier stopping,
            LeaderLease lease,
            BrokerHealth health,
            Consumer<String> fatal) {
        this.brokerId = brokerId;
        this.brokerEpoch = brokerEpoch;
        this.image = image;
        this.stopping = stopping;
        this.lease = lease;
        this.health = health;
        this.fatal = fatal;
    }

    QuorumQuery.Heartbeat next() {
        return new QuorumQuery.Heartbeat(
                brokerId, brokerEpoch.getAsLong(), image.get().index(), false, stopping.getAsBoolean());
    }

    void answered(QuorumQuery.HeartbeatAnswer answer, MonoTime sent) {
        if (answer.error() == ErrorCode.NONE) {
            health.heartbeatAnswered(answer, sent, image.get().index());
        }
        // Fenced after having been unfenced: others lead now, whatever this broker's metadata still says.
        if (answer.error() == ErrorCode.NONE && (!answer.fenced() || unfenced.getCount() > 0)) {
            lease.answered(sent);
        }
        if (answer.error() == ErrorCode.STALE_BROKER_EPOCH || answer.error() == ErrorCode.BROKER_ID_NOT_REGISTERED) {
            if (!stopping.getAsBoolean()) {
                fatal.accept(
                        answer.error() == ErrorCode.STALE_BROKER_EPOCH
                                ? "another incarnation of broker " + brokerId + " has taken over"
                                : "broker " + brokerId + " was unregistered from the cluster");
            }
            shutdownGranted.countDown();
        } else if (answer.shouldShutDown()) {
            shutdownGranted.countDown();
        }
    }

    /** The metadata that this broker acts on says so. */
    void unfenced() {
        unfenced.countDown();
    }

    void awaitUnfenced() throws InterruptedException {
        unfenced.await();
    }

    /** Whether this broker may stop, or is not waited for any more; waits for it that long at most. */
    boolean awaitShutdownGranted(long ms) throws InterruptedException {
        return shutdownGranted.await(ms, TimeUnit.MILLISECONDS);
    }
}
