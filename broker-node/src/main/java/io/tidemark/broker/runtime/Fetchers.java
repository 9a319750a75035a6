package io.tidemark.broker.runtime;

import io.tidemark.model.MonoTime;
import java.util.List;

/** The followers' side of one loop: fetches from leaders for the partitions that follow; called on the loop. */
public interface Fetchers {
    /** {@code host} follows that leader from now on; it is asked for its position before each fetch. */
    void start(PartitionHost host, int leader, int leaderEpoch);

    void stop(PartitionHost host);

    /** Ask the leader for the start and end of its log, then tell {@code host} (R6.35). */
    void askLeaderOffsets(PartitionHost host, int leaderEpoch);

    /** The position of {@code host} may have moved, or it may fetch again. */
    void positionMoved(PartitionHost host);

    /** Everything appended in this turn is written: send the fetches that are due. */
    void endOfTurn(MonoTime now);

    /** What was fetched, by leader. */
    default List<FetchedFrom> fetchedFrom() {
        return List.of();
    }

    /** When {@link #endOfTurn} must run at the latest; {@link Long#MAX_VALUE} if never; monotonic milliseconds. */
    long nextDeadlineMs();
}
