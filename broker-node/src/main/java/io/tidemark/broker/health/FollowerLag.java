package io.tidemark.broker.health;

import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import java.util.OptionalLong;

/** By how many records the logs of a broker are short of what their leaders have told of (R9.11). */
public final class FollowerLag {
    private FollowerLag() {}

    /** Over all partitions; empty if a loop does not answer in time, as after a pause of the process. Not on a loop. */
    public static OptionalLong of(Partitions partitions) {
        try {
            return OptionalLong.of(OnLoops.ask(partitions, FollowerLag::of).stream()
                    .mapToLong(Long::longValue)
                    .sum());
        } catch (IllegalStateException e) {
            return OptionalLong.empty();
        }
    }

    private static long of(PartitionLoop loop) {
        long lag = 0;
        for (PartitionHost host : loop.hosts()) {
            lag += host.replica() == null ? 0 : host.replica().followerLag();
        }
        return lag;
    }
}
