package io.tidemark.broker.runtime;

import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.ReplicaEvent;
import java.nio.ByteBuffer;

/**
 * What the fetcher of a partition that follows needs of it: what to ask the leader next, and where goes what the leader
 * answers. The loop's.
 */
public final class FetcherAccess {
    private final PartitionHost host;
    private final PartitionLoop loop;
    private final WorkOrder work;

    FetcherAccess(PartitionHost host, WorkOrder work) {
        this.host = host;
        this.loop = host.loop();
        this.work = work;
    }

    /** What to ask the leader next; null if not now. */
    public FetchPosition position() {
        return idle() ? null : host.replica().fetchPosition(loop.now());
    }

    /** When a delayed fetch is due; {@link Long#MAX_VALUE} if none is delayed. */
    public long deadlineMs() {
        return idle() ? Long.MAX_VALUE : host.replica().fetchDeadlineMs(loop.now());
    }

    private boolean idle() {
        return work.paused() || work.stopped() || host.replica() == null;
    }

    /** R4.23: the account that what is fetched for this partition is charged to, null if none. */
    public ReplicationQuota quota() {
        return host.replica() != null
                        && host.replica().fetchMayWait()
                        && host.settings()
                                .followerThrottled()
                                .contains(host.id().partition())
                ? loop.ports().quotas().follower()
                : null;
    }

    /** An answer of the leader; {@code release} is called once its records are written or not needed. */
    public void fetched(ReplicaEvent.FetchAnswered answer, ByteBuffer records, Runnable release) {
        work.add(new Work() {
            @Override
            void run() {
                host.writeStaged();
                host.step(answer, new EffectRunner.Fetched(records, release));
            }

            @Override
            void refuse() {
                release.run();
            }
        });
    }

    /** Anything else a fetcher has to say: failures, the leader's offsets. */
    public void heard(ReplicaEvent event) {
        work.add(() -> {
            host.step(event);
            loop.fetchers().positionMoved(host);
        });
    }
}
