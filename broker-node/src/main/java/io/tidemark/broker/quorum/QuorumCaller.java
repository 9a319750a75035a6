package io.tidemark.broker.quorum;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Single requests to single controllers over connections of its own. No retries here: who calls decides. Nothing blocks
 * the caller.
 *
 * <p>A failure says little: when one request over a connection meets a controller that does not lead, the transport
 * fails all that are under way on it. So only an answer proves anything about a command.
 */
final class QuorumCaller implements CommandSender.Caller {
    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger TRANSPORT_LOG = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

    static {
        // It writes chatter to standard error, past the log.
        TRANSPORT_LOG.setLevel(Level.WARNING);
    }

    /** The transport has been seen to lose a request without a word on a busy machine; after this the request counts as failed. */
    private static final int LOST_AFTER_MS = 500;

    private final RaftClient client;
    private final int rpcTimeoutMs;
    private final boolean asynchronous;
    private final ExecutorService threads;

    /**
     * Gives connections up, for which the transport waits: 3 s for one to a process that stands still. Who asks next must
     * not wait for that.
     */
    private final ExecutorService closing;

    /** Whose addresses the client has; more when controllers join. */
    private final Set<QuorumVoter> known = ConcurrentHashMap.newKeySet();

    /** How often each controller's connection was renewed, so that late failures do not break the new one. */
    private final Map<RaftPeerId, Long> renewals = new HashMap<>();

    QuorumCaller(LinkSettings settings, String purpose, int rpcTimeoutMs) {
        this.rpcTimeoutMs = rpcTimeoutMs;
        RaftProperties properties = new RaftProperties();
        asynchronous = settings.rpc() == QuorumRpc.GRPC;
        RaftConfigKeys.Rpc.setType(properties, asynchronous ? SupportedRpcType.GRPC : SupportedRpcType.NETTY);
        GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf("64MB"));
        RaftClientConfigKeys.Rpc.setRequestTimeout(
                properties, TimeDuration.valueOf(rpcTimeoutMs, TimeUnit.MILLISECONDS));
        client = RaftClient.newBuilder()
                .setRaftGroup(group(settings))
                .setProperties(properties)
                .build();
        known.addAll(settings.voters());
        String name = settings.name() + "-" + purpose;
        threads = asynchronous
                ? Executors.newSingleThreadExecutor(Threads.daemon(name))
                : Executors.newCachedThreadPool(Threads.daemon(name));
        closing = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), Threads.daemon(name + "-closing"));
    }

    /** The quorum's group, derived from the cluster id and the voters as the controllers do. */
    private static RaftGroup group(LinkSettings settings) {
        List<RaftPeer> peers =
                settings.voters().stream().map(QuorumCaller::peer).toList();
        return RaftGroup.valueOf(RaftGroupId.valueOf(Uuids.quorumGroup(settings.clusterId())), peers);
    }

    private static RaftPeer peer(QuorumVoter voter) {
        return RaftPeer.newBuilder()
                .setId(peerId(voter))
                .setAddress(voter.address())
                .build();
    }

    private static RaftPeerId peerId(QuorumVoter voter) {
        return RaftPeerId.valueOf(Integer.toString(voter.id()));
    }

    /** A call id not used before. */
    static long newCall() {
        return CallId.getAndIncrement();
    }

    @Override
    public CompletableFuture<RaftClientReply> write(QuorumVoter to, long callId, byte[] command) {
        return send(to, callId, RaftClientRequest.writeRequestType(), command);
    }

    /** A read that only the acting controller answers, from its own state. */
    CompletableFuture<RaftClientReply> readFromLeader(QuorumVoter to, byte[] query) {
        return send(to, newCall(), RaftClientRequest.readRequestType(true), query);
    }

    @Override
    public CompletableFuture<RaftClientReply> probe(QuorumVoter to) {
        return send(to, newCall(), RaftClientRequest.readRequestType(true, false, true), new byte[0]);
    }

    /** A read that any controller answers. */
    CompletableFuture<RaftClientReply> read(QuorumVoter to, byte[] query) {
        return send(to, newCall(), RaftClientRequest.staleReadRequestType(0), query);
    }

    private CompletableFuture<RaftClientReply> send(
            QuorumVoter to, long callId, RaftClientRequest.Type type, byte[] content) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client.getId())
                .setServerId(peerId(to))
                .setGroupId(client.getGroupId())
                .setCallId(callId)
                .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(content)))
                .setType(type)
                .build();
        CompletableFuture<RaftClientReply> result = new CompletableFuture<>();
        run(result, () -> {
            if (known.add(to)) {
                client.getClientRpc().addRaftPeers(List.of(peer(to)));
            }
            long renewal = renewal(request.getServerId());
            CompletableFuture<RaftClientReply> call =
                    call(request).orTimeout(rpcTimeoutMs + LOST_AFTER_MS, TimeUnit.MILLISECONDS);
            call.whenComplete((reply, failure) -> {
                if (failure == null) {
                    result.complete(reply);
                } else {
                    Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
                    run(result, () -> {
                        renew(request.getServerId(), renewal, cause);
                        result.completeExceptionally(cause);
                    });
                }
            });
        });
        return result;
    }

    private void run(CompletableFuture<RaftClientReply> result, Runnable task) {
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
    }

    private CompletableFuture<RaftClientReply> call(RaftClientRequest request) {
        if (asynchronous) {
            return client.getClientRpc().sendRequestAsyncUnordered(request);
        }
        try {
            return CompletableFuture.completedFuture(client.getClientRpc().sendRequest(request));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized long renewal(RaftPeerId peer) {
        return renewals.getOrDefault(peer, 0L);
    }

    /**
     * After any failure the connection is of no more use, whatever else is under way on it. A request that is still sent over
     * it fails, too, and is followed by the next renewal.
     */
    private synchronized void renew(RaftPeerId peer, long usedRenewal, Throwable cause) {
        if (renewal(peer) == usedRenewal) {
            renewals.put(peer, usedRenewal + 1);
            closing.execute(() -> client.getClientRpc().handleException(peer, cause, true));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        closing.shutdownNow();
        try {
            client.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
