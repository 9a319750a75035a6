package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.model.MonoTime;

/**
 * How one replica stands on its broker.
 *
 * @param explanation what the replica knows; null while its log is being opened
 * @param outOfService why it does nothing any more; null if it works
 * @param paused whether it waits at the moment for its disk
 */
record Standing(Explanation explanation, String outOfService, boolean paused) {
    /** On the partition's loop. */
    static Standing of(PartitionHost host, MonoTime now) {
        return new Standing(
                host.replica() == null ? null : host.replica().explain(now), host.outOfService(), host.paused());
    }

    /** In one word. */
    String role() {
        if (outOfService != null) {
            return "failed";
        } else if (explanation == null) {
            return "opening";
        } else if (explanation.leadership() != null) {
            return "leader";
        }
        return explanation.followership() != null ? "follower" : "idle";
    }
}
