package io.tidemark.model.metadata;

import java.util.List;
import java.util.Map;

/** Reads of a controller that write nothing to the log, with their answers. */
public sealed interface QuorumQuery {
    /**
     * A broker's sign of life to the acting controller (R7.10), answered at once from its applied image.
     *
     * @param metadataIndex last entry the broker has applied
     */
    record Heartbeat(int brokerId, long brokerEpoch, long metadataIndex, boolean wantFence, boolean wantShutDown)
            implements QuorumQuery {}

    /** @param term of the controller that answered; {@code shouldShutDown} grants the stop (R7.11) */
    record HeartbeatAnswer(ErrorCode error, long term, boolean caughtUp, boolean fenced, boolean shouldShutDown) {}

    /**
     * Long poll for entries from {@code nextIndex} on, to any controller. Index gaps are normal.
     *
     * @param waitMs how long to wait for a newer entry, 0..10000
     * @param maxBytes bound of the entries in one answer; at least one entry is returned if there is one
     */
    record Poll(long nextIndex, int waitMs, int maxBytes) implements QuorumQuery {}

    /**
     * @param image set if the position is too old: fold on from here; else null
     * @param entries in order, each with its index
     * @param nextIndex ask for this next; entries below it are all in the image or the list
     * @param leaderId acting controller as this one knows it, -1 if unknown
     */
    record PollAnswer(ClusterImage image, List<IndexedEntry> entries, long nextIndex, int leaderId) {}

    /** An entry at its index, as bytes so that it is encoded and decoded once. */
    record IndexedEntry(long index, byte[] bytes) {}

    /** How a controller stands; any of them answers for itself. */
    record Status() implements QuorumQuery {}

    /**
     * @param image its applied image
     * @param digest of that image, for comparison between replicas
     * @param fastPathOff by the acting controller only: brokers whose death just the session timer would show, and why
     */
    record StatusAnswer(
            int nodeId,
            int leaderId,
            long term,
            long commitIndex,
            long appliedIndex,
            long voidEntries,
            long digest,
            ClusterImage image,
            Map<Integer, String> fastPathOff) {}
}
