package io.tidemark.quorum.ratis;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.netty.NettyConfigKeys;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis is set up here, each departure from its defaults with its reason. */
public final class RatisProperties {
    private static final SizeInBytes MAX_APPEND = SizeInBytes.valueOf(2L * Proposals.MAX_ENTRY_BYTES);
    private static final SizeInBytes MAX_MESSAGE = SizeInBytes.valueOf("64MB");

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger TRANSPORT_LOG = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

    static {
        // It writes chatter to standard error, past the log.
        TRANSPORT_LOG.setLevel(Level.WARNING);
    }

    private RatisProperties() {}

    /** The one group of the cluster; the same on every node that knows the cluster id and the voters. */
    public static RaftGroup group(String clusterId, List<QuorumVoter> voters) {
        List<RaftPeer> peers = voters.stream().map(RatisProperties::peer).toList();
        return RaftGroup.valueOf(RaftGroupId.valueOf(Uuids.quorumGroup(clusterId)), peers);
    }

    static RaftPeer peer(QuorumVoter voter) {
        return RaftPeer.newBuilder()
                .setId(peerId(voter.id()))
                .setAddress(voter.address())
                .build();
    }

    static RaftPeerId peerId(int nodeId) {
        return RaftPeerId.valueOf(Integer.toString(nodeId));
    }

    /** What servers and clients have in common. */
    public static RaftProperties common(QuorumRpc rpc) {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, rpc == QuorumRpc.NETTY ? SupportedRpcType.NETTY : SupportedRpcType.GRPC);
        // Far above the longest answer, for longer ones are read in parts (LargeAnswers).
        GrpcConfigKeys.setMessageSizeMax(properties, MAX_MESSAGE);
        return properties;
    }

    static RaftProperties server(QuorumSettings settings) {
        RaftProperties properties = common(settings.rpc());
        QuorumVoter self = settings.self();
        GrpcConfigKeys.Server.setHost(properties, self.host());
        GrpcConfigKeys.Server.setPort(properties, self.port());
        NettyConfigKeys.Server.setHost(properties, self.host());
        NettyConfigKeys.Server.setPort(properties, self.port());
        RaftServerConfigKeys.setStorageDir(
                properties, List.of(QuorumStorage.root(settings.directory()).toFile()));
        timing(properties, settings);
        log(properties, settings);
        return properties;
    }

    private static void timing(RaftProperties properties, QuorumSettings settings) {
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(settings.electionTimeoutMinMs()));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(settings.electionTimeoutMaxMs()));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, millis(settings.electionTimeoutMinMs()));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, millis(settings.electionTimeoutMaxMs()));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(1_000));
        // The default of 10 s keeps a leader that lost its majority from standing again: an outage of that length when
        // one of three is down.
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, millis(1_000));
        // A long pause of the process must not leave a closed server in a live process.
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(1, TimeUnit.HOURS));
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, TimeDuration.valueOf(5, TimeUnit.MINUTES));
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        // The default waits up to 5 s before it tries a follower again that was away.
        RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, "1ms,10, 100ms,50, 500ms,1000000");
    }

    private static void log(RaftProperties properties, QuorumSettings settings) {
        // Twice what a decision may lead to, so that Ratis never refuses an entry after it was decided.
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, MAX_APPEND);
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(MAX_APPEND.getSize() + 1024));
        RaftServerConfigKeys.Log.setSegmentSizeMax(
                properties, SizeInBytes.valueOf(Math.max(settings.segmentBytes(), 1024)));
        RaftServerConfigKeys.Log.setPreallocatedSize(
                properties, SizeInBytes.valueOf(Math.min(settings.segmentBytes(), 1024 * 1024)));
        // The own scheduler triggers by size and time, also when idle; Ratis' own can do neither off the apply thread.
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
        // Else one dead peer would keep the log from ever being purged.
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, settings.keptEntries());
        RaftServerConfigKeys.Log.setPurgeGap(properties, (int) Math.max(1, Math.min(1024, settings.keptEntries())));
    }

    private static TimeDuration millis(long value) {
        return TimeDuration.valueOf(value, TimeUnit.MILLISECONDS);
    }
}
