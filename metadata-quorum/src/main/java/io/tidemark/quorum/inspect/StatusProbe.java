package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.quorum.ratis.RatisProperties;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;

/** Asks every controller of a quorum how it stands, all at once and each for a bounded time. */
public final class StatusProbe {
    /** How long one controller may take, milliseconds. */
    public static final long TIMEOUT_MS = 8_000;

    private StatusProbe() {}

    /**
     * @param answer null if the controller did not give one
     * @param problem why not, in words; null with an answer
     */
    public record Result(QuorumVoter controller, QuorumQuery.StatusAnswer answer, String problem) {}

    /** One result per controller, in the order given. */
    public static List<Result> ask(List<QuorumVoter> controllers, String clusterId, QuorumRpc rpc)
            throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "status");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<QuorumQuery.StatusAnswer>> asked = new ArrayList<>();
            for (QuorumVoter controller : controllers) {
                asked.add(threads.submit(() -> askOne(controller, controllers, clusterId, rpc)));
            }
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < controllers.size(); i++) {
                results.add(await(controllers.get(i), asked.get(i), deadline));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static Result await(QuorumVoter controller, Future<QuorumQuery.StatusAnswer> answer, long deadline)
            throws InterruptedException {
        try {
            long left = Math.max(0, deadline - System.nanoTime());
            return new Result(controller, answer.get(left, TimeUnit.NANOSECONDS), null);
        } catch (ExecutionException e) {
            return new Result(controller, null, firstLine(e.getCause()));
        } catch (TimeoutException e) {
            return new Result(controller, null, "no answer within " + TIMEOUT_MS + " ms");
        }
    }

    private static QuorumQuery.StatusAnswer askOne(
            QuorumVoter controller, List<QuorumVoter> all, String clusterId, QuorumRpc rpc) throws IOException {
        RaftProperties properties = RatisProperties.common(rpc);
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, TimeDuration.valueOf(TIMEOUT_MS, TimeUnit.MILLISECONDS));
        try (RaftClient client = RaftClient.newBuilder()
                .setRaftGroup(RatisProperties.group(clusterId, all))
                .setProperties(properties)
                .build()) {
            byte[] query = QueryCodec.encode(new QuorumQuery.Status());
            RaftClientReply reply = client.getClientRpc()
                    .sendRequest(RaftClientRequest.newBuilder()
                            .setClientId(client.getId())
                            .setServerId(RaftPeerId.valueOf(Integer.toString(controller.id())))
                            .setGroupId(client.getGroupId())
                            .setCallId(CallId.getAndIncrement())
                            .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(query)))
                            .setType(RaftClientRequest.staleReadRequestType(0))
                            .build());
            if (!reply.isSuccess()) {
                throw reply.getException();
            }
            return QueryCodec.decodeStatus(reply.getMessage().getContent().toByteArray());
        }
    }

    private static String firstLine(Throwable problem) {
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getMessage() == null ? root.toString() : root.getMessage();
        return text.lines().findFirst().orElse(root.toString());
    }
}
