package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.AnswerParts;
import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.quorum.ratis.RatisProperties;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

/** Asks one controller, leader or not, without a retry: reads only. */
final class ControllerClient implements Closeable {
    private final QuorumVoter controller;
    private final RaftClient client;

    /** @param timeoutMs how long an answer may take, milliseconds */
    ControllerClient(QuorumVoter controller, List<QuorumVoter> all, String clusterId, QuorumRpc rpc, long timeoutMs) {
        this.controller = controller;
        RaftProperties properties = RatisProperties.common(rpc);
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, TimeDuration.valueOf(timeoutMs, TimeUnit.MILLISECONDS));
        client = RaftClient.newBuilder()
                .setRaftGroup(RatisProperties.group(clusterId, all))
                .setProperties(properties)
                .build();
    }

    QuorumVoter controller() {
        return controller;
    }

    /** The encoded answer, read in parts if it is a large one. Throws IOException if there is none. */
    byte[] ask(QuorumQuery query) throws IOException {
        byte[] answer = askOnce(query);
        AnswerParts parts = AnswerParts.of(answer);
        if (parts == null) {
            return answer;
        }
        while (!parts.complete()) {
            parts.add(askOnce(parts.next()));
        }
        return parts.answer();
    }

    private byte[] askOnce(QuorumQuery query) throws IOException {
        RaftClientReply reply = client.getClientRpc()
                .sendRequest(RaftClientRequest.newBuilder()
                        .setClientId(client.getId())
                        .setServerId(RaftPeerId.valueOf(Integer.toString(controller.id())))
                        .setGroupId(client.getGroupId())
                        .setCallId(CallId.getAndIncrement())
                        .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(QueryCodec.encode(query))))
                        .setType(RaftClientRequest.staleReadRequestType(0))
                        .build());
        if (!reply.isSuccess()) {
            throw reply.getException();
        }
        return reply.getMessage().getContent().toByteArray();
    }

    /** What went wrong, in one line. */
    static String firstLine(Throwable problem) {
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getMessage() == null ? root.toString() : root.getMessage();
        return text.lines().findFirst().orElse(root.toString());
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
