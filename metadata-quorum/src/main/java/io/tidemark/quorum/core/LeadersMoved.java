package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumReply;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The partitions that a proposal of their leader gave another leader within the last minute, as the acting controller
 * remembers them, so that two brokers that cannot reach each other do not pass a partition to and fro (B13).
 *
 * <p>Not safe for use by several threads; its owner serializes the calls. Times are monotonic.
 */
public final class LeadersMoved {
    static final long MINUTE_MS = 60_000;

    /** Oldest first. */
    private final Map<PartitionId, MonoTime> moves = new LinkedHashMap<>();

    /** Takes the answers to proposals from which moves are seen. */
    public void decided(QuorumReply reply, MonoTime now) {
        moves.values().removeIf(at -> now.since(at) >= MINUTE_MS);
        if (reply instanceof QuorumReply.AlteredPartitions altered) {
            for (QuorumReply.AlteredPartitions.Result row : altered.results()) {
                if (row.error() == ErrorCode.NEW_LEADER_ELECTED) {
                    moves.remove(row.id());
                    moves.put(row.id(), now);
                }
            }
        }
    }

    public boolean lately(PartitionId id, MonoTime now) {
        MonoTime at = moves.get(id);
        return at != null && now.since(at) < MINUTE_MS;
    }
}
