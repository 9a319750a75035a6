package io.tidemark.broker.quorum;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import java.util.List;

/**
 * Where the quorum is and how long to wait for it; times in milliseconds.
 *
 * @param name of the threads and in log lines, such as "broker-1"
 * @param requestTimeoutMs a command is given up after this, its outcome unknown
 * @param rpcTimeoutMs one attempt of a command
 * @param heartbeatIntervalMs between heartbeats, and the time one may take (B5)
 * @param pollMs how long a controller may keep a poll without news; a controller that is gone without closing its
 *     connection is left after twice this time
 */
public record LinkSettings(
        String name,
        List<QuorumVoter> voters,
        String clusterId,
        QuorumRpc rpc,
        int requestTimeoutMs,
        int rpcTimeoutMs,
        int heartbeatIntervalMs,
        int pollMs) {
    public static final int REQUEST_TIMEOUT_MS = 30_000;
    public static final int RPC_TIMEOUT_MS = 1_000;
    public static final int POLL_MS = 1_000;

    public LinkSettings {
        voters = List.copyOf(voters);
    }

    /** With the usual times. */
    public LinkSettings(
            String name, List<QuorumVoter> voters, String clusterId, QuorumRpc rpc, int heartbeatIntervalMs) {
        this(name, voters, clusterId, rpc, REQUEST_TIMEOUT_MS, RPC_TIMEOUT_MS, heartbeatIntervalMs, POLL_MS);
    }
}
