package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.replica.Explanation.Absence;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many records each follower has still to fetch of what this broker leads, as their leader knows it. A follower cannot
 * tell: the high watermark that it hears of waits for it as long as it is in the ISR.
 */
public final class FollowerLag {
    private FollowerLag() {}

    /**
     * Over all partitions, by broker; empty if a loop does not answer in time, as after a pause of the process. Not on a
     * loop.
     *
     * @param caughtUpMs what a follower that had everything within that time has still to fetch is on its way, and is no lag
     */
    public static Optional<Map<Integer, Long>> of(Partitions partitions, long caughtUpMs) {
        try {
            Map<Integer, Long> lags = new HashMap<>();
            OnLoops.ask(partitions, loop -> of(loop, caughtUpMs))
                    .forEach(part -> part.forEach((broker, lag) -> lags.merge(broker, lag, Long::sum)));
            return Optional.of(lags);
        } catch (IllegalStateException e) {
            return Optional.empty();
        }
    }

    private static Map<Integer, Long> of(PartitionLoop loop, long caughtUpMs) {
        Map<Integer, Long> lags = new HashMap<>();
        for (PartitionHost host : loop.hosts()) {
            if (host.replica() != null && host.replica().leads()) {
                add(host.replica().explain(loop.now()), caughtUpMs, lags);
            }
        }
        return lags;
    }

    /** Followers whose broker is gone, or of which nothing is known yet, are another matter. */
    static void add(Explanation leader, long caughtUpMs, Map<Integer, Long> lags) {
        for (Explanation.Follower follower : leader.leadership().followers()) {
            boolean gone = follower.absence() == Absence.NOT_REGISTERED || follower.absence() == Absence.NOT_ACTIVE;
            boolean caughtUp =
                    follower.caughtUpAgoMs() != Explanation.NEVER_MS && follower.caughtUpAgoMs() < caughtUpMs;
            if (!gone && !caughtUp && follower.end() >= 0 && follower.end() < leader.logEnd()) {
                lags.merge(follower.broker(), leader.logEnd() - follower.end(), Long::sum);
            }
        }
    }
}
