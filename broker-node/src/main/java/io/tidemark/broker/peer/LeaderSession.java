package io.tidemark.broker.peer;

import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.model.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The follower's side of one incremental fetch session (KIP-227): its id and epoch, and which positions the leader has
 * been told, by up to two requests in flight.
 */
final class LeaderSession {
    private int id;
    /** Epoch of the next request; 0 opens a session. */
    private int epoch;
    /** Counts the sessions: what an older one's request brings is not taken. */
    private int generation;
    /** What the youngest request in flight has told. */
    private final Map<PartitionId, FetchPosition> told = new HashMap<>();
    /** What the older of two requests in flight had told, where the younger tells something else; null if nothing. */
    private final Map<PartitionId, FetchPosition> toldBefore = new HashMap<>();

    private final Set<PartitionId> leaving = new LinkedHashSet<>();
    /** The leader has no room for a session of ours: every request names everything. */
    private boolean refused;

    int id() {
        return id;
    }

    int epoch() {
        return epoch;
    }

    int generation() {
        return generation;
    }

    /** How long the next request may wait at the leader: an opening one does not, so that others may follow it. */
    int maxWaitMs(int full) {
        return epoch == 0 && !refused ? 0 : full;
    }

    /** Whether the leader has confirmed the session, so that a request may follow before an earlier one's answer. */
    boolean established() {
        return id != 0;
    }

    /** The next request opens a new session and names everything. */
    void startOver() {
        id = 0;
        epoch = 0;
        generation++;
        told.clear();
        toldBefore.clear();
        leaving.clear();
    }

    /** A request of {@link #epoch} leaves. */
    void sent() {
        if (epoch > 0) {
            advance();
        }
    }

    /** The oldest request was answered under this id; 0 if the leader keeps no session for us. */
    void answered(int sessionId) {
        refused = sessionId == 0;
        if (refused) {
            startOver();
        } else if (epoch == 0) {
            id = sessionId;
            epoch = 1;
        }
        toldBefore.clear();
    }

    private void advance() {
        epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }

    /** What the oldest request in flight asked of that partition; null if nothing. */
    FetchPosition asked(PartitionId partition) {
        return toldBefore.containsKey(partition) ? toldBefore.get(partition) : told.get(partition);
    }

    boolean knows(PartitionId partition, FetchPosition position) {
        return position.equals(told.get(partition));
    }

    /**
     * The next request tells this position.
     *
     * @param second whether another request is in flight
     */
    void tell(PartitionId partition, FetchPosition position, boolean second) {
        leaving.remove(partition);
        FetchPosition before = told.put(partition, position);
        if (second) {
            toldBefore.put(partition, before);
        }
    }

    /** The next request makes the leader forget the partition, if it knows it and nobody tells it anew till then. */
    void leave(PartitionId partition) {
        if (told.remove(partition) != null) {
            leaving.add(partition);
        }
    }

    /** Partitions that the next request must make the leader forget. */
    List<PartitionId> takeLeaving() {
        List<PartitionId> result = new ArrayList<>(leaving);
        leaving.clear();
        return result;
    }

    boolean isEmpty() {
        return told.isEmpty();
    }
}
