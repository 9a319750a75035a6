package io.tidemark.quorum.ratis;

import io.tidemark.model.config.HistoryConfig;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What one server of the quorum needs to know; times in milliseconds, sizes in bytes.
 *
 * @param nodeId one of the voters
 * @param directory where the log is kept; formatted, locked and this node's
 * @param electionTimeoutMinMs a follower stands for election after a time between this and the maximum
 * @param snapshotIntervalMs a snapshot is written after this time if anything was logged since the last; 0 for never
 * @param snapshotBytes and after this much was logged
 * @param segmentBytes size of a file of the log
 * @param keptEntries entries kept behind a snapshot, so that a short absence needs no snapshot
 * @param noOpIntervalMs an idle leader writes an empty entry after this time
 * @param history how much of the log is kept for the metadata log tool
 * @param bootstrapConfigs the cluster's default configuration, written with the first entry of a new cluster
 */
public record QuorumSettings(
        int nodeId,
        List<QuorumVoter> voters,
        String clusterId,
        Path directory,
        QuorumRpc rpc,
        int electionTimeoutMinMs,
        int electionTimeoutMaxMs,
        long snapshotIntervalMs,
        long snapshotBytes,
        int segmentBytes,
        long keptEntries,
        long noOpIntervalMs,
        HistoryConfig history,
        Map<String, String> bootstrapConfigs) {

    public static final int SEGMENT_BYTES = 8 * 1024 * 1024;
    public static final long KEPT_ENTRIES = 10_000;

    /**
     * A follower that comes back with an empty disk to an idle quorum is found only by the next entry, so this bounds
     * how long it stays out; at about 200 bytes each the entries cost 4 MB a day.
     */
    public static final long NO_OP_INTERVAL_MS = 5_000;

    public QuorumSettings {
        voters = List.copyOf(voters);
        bootstrapConfigs = Map.copyOf(bootstrapConfigs);
    }

    QuorumVoter self() {
        return voters.stream().filter(voter -> voter.id() == nodeId).findFirst().orElseThrow();
    }
}
