package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The partitions that were taken from a leader for being isolated within the last minute, as the acting controller
 * remembers them, so that two brokers that cannot reach each other do not pass a partition to and fro (B13). The next
 * acting controller does not know of them.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls. Times are monotonic.
 */
public final class LeadersMoved {
    static final long MINUTE_MS = 60_000;

    /** Oldest first. */
    private final Map<PartitionId, MonoTime> moves = new LinkedHashMap<>();

    /** Takes what was decided, and forgets what is older than a minute. */
    public void decided(Decision decision, MonoTime now) {
        moves.values().removeIf(at -> now.since(at) >= MINUTE_MS);
        for (PartitionId id : decision.isolated()) {
            moves.remove(id);
            moves.put(id, now);
        }
    }

    public boolean lately(PartitionId id, MonoTime now) {
        MonoTime at = moves.get(id);
        return at != null && now.since(at) < MINUTE_MS;
    }
}
