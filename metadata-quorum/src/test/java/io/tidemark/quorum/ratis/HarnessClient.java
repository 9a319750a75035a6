package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.AnswerParts;
import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.RefusalText;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;

/** A plain client of a harness's quorum; unless said otherwise it retries for ever under the same call id. */
public final class HarnessClient implements AutoCloseable {
    private final RaftClient client;

    public HarnessClient(QuorumHarness quorum) {
        this(quorum, RetryPolicies.retryForeverWithSleep(TimeDuration.valueOf(20, TimeUnit.MILLISECONDS)));
    }

    /** One attempt for each request; the next one goes to whom the last one was told to ask. */
    static HarnessClient ofOneAttempt(QuorumHarness quorum) {
        return new HarnessClient(quorum, RetryPolicies.noRetry());
    }

    private HarnessClient(QuorumHarness quorum, RetryPolicy retry) {
        RaftProperties properties = RatisProperties.common(quorum.rpc());
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
        client = RaftClient.newBuilder()
                .setRaftGroup(RatisProperties.group(quorum.clusterId(), quorum.voters()))
                .setProperties(properties)
                .setRetryPolicy(retry)
                .build();
    }

    public QuorumReply.Answer submit(QuorumCommand command) throws IOException {
        try {
            return answer(client.io().send(message(CommandCodec.encode(command))));
        } catch (StateMachineException e) {
            return RefusalText.find(e.getMessage()).orElseThrow(() -> e);
        }
    }

    CompletableFuture<QuorumReply.Answer> submitAsync(QuorumCommand command) {
        return client.async().send(message(CommandCodec.encode(command))).thenApply(HarnessClient::answer);
    }

    /** One attempt under that call id at that controller. */
    QuorumReply.Answer sendAs(long callId, int nodeId, QuorumCommand command) throws IOException {
        RaftClientReply reply = client.getClientRpc()
                .sendRequest(RaftClientRequest.newBuilder()
                        .setClientId(client.getId())
                        .setServerId(RatisProperties.peerId(nodeId))
                        .setGroupId(client.getGroupId())
                        .setCallId(callId)
                        .setMessage(message(CommandCodec.encode(command)))
                        .setType(RaftClientRequest.writeRequestType())
                        .build());
        if (!reply.isSuccess()) {
            throw reply.getException();
        }
        return answer(reply);
    }

    /** A poll of that controller. */
    QuorumQuery.PollAnswer poll(int nodeId, long nextIndex, int waitMs) throws IOException {
        return QueryCodec.decodePoll(ask(nodeId, new QuorumQuery.Poll(nextIndex, waitMs, 1 << 20)));
    }

    /** That controller's log so far, in order. */
    List<MetadataEntry> entries(int nodeId) throws IOException {
        List<MetadataEntry> found = new ArrayList<>();
        long next = 0;
        for (boolean more = true; more; ) {
            QuorumQuery.PollAnswer answer = poll(nodeId, next, 0);
            more = !answer.entries().isEmpty();
            next = answer.nextIndex();
            for (QuorumQuery.IndexedEntry indexed : answer.entries()) {
                found.add(RecordCodec.decode(indexed.bytes()));
            }
        }
        return found;
    }

    QuorumQuery.StatusAnswer status(int nodeId) throws IOException {
        return QueryCodec.decodeStatus(ask(nodeId, new QuorumQuery.Status()));
    }

    public QuorumQuery.HeartbeatAnswer heartbeat(QuorumQuery.Heartbeat heartbeat) throws IOException {
        RaftClientReply reply = client.io().sendReadOnlyNonLinearizable(message(QueryCodec.encode(heartbeat)));
        return QueryCodec.decodeHeartbeat(reply.getMessage().getContent().toByteArray());
    }

    private byte[] ask(int nodeId, QuorumQuery query) throws IOException {
        byte[] answer = askOnce(nodeId, query);
        AnswerParts parts = AnswerParts.of(answer);
        if (parts == null) {
            return answer;
        }
        while (!parts.complete()) {
            parts.add(askOnce(nodeId, parts.next()));
        }
        return parts.answer();
    }

    byte[] askOnce(int nodeId, QuorumQuery query) throws IOException {
        RaftClientReply reply =
                client.io().sendStaleRead(message(QueryCodec.encode(query)), 0, RatisProperties.peerId(nodeId));
        return reply.getMessage().getContent().toByteArray();
    }

    private static QuorumReply.Answer answer(RaftClientReply reply) {
        return CommandCodec.decodeAnswer(reply.getMessage().getContent().toByteArray());
    }

    private static Message message(byte[] bytes) {
        return Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
