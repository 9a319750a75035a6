package io.tidemark.broker.runtime;

import io.tidemark.model.PartitionId;
import java.util.List;

/** Which loop a partition lives on: the same hash on all brokers, so that a fetch connection stays on one at each end. */
public final class Partitions {
    private final List<PartitionLoop> loops;

    public Partitions(List<PartitionLoop> loops) {
        this.loops = List.copyOf(loops);
    }

    public PartitionLoop loopOf(PartitionId id) {
        int hash = id.topicId().hashCode() * 31 + id.partition();
        return loops.get(Math.floorMod(hash, loops.size()));
    }

    public PartitionLoop loop(int index) {
        return loops.get(index);
    }

    public List<PartitionLoop> loops() {
        return loops;
    }
}
