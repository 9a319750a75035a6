package io.tidemark.broker.runtime;

import io.tidemark.model.MonoTime;

/** For a loop whose partitions have nobody to follow. */
public final class NoFetchers implements Fetchers {
    @Override
    public void start(PartitionHost host, int leader, int leaderEpoch) {}

    @Override
    public void stop(PartitionHost host) {}

    @Override
    public void askLeaderOffsets(PartitionHost host, int leaderEpoch) {}

    @Override
    public void positionMoved(PartitionHost host) {}

    @Override
    public void endOfTurn(MonoTime now) {}

    @Override
    public long nextDeadlineMs() {
        return Long.MAX_VALUE;
    }
}
