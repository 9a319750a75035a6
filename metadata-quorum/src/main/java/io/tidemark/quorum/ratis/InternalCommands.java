package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands of the controller itself, through the same path as everybody's. Each is asked for again by what led to it, so
 * none is retried here; an equal one already on its way is not sent twice.
 */
final class InternalCommands {
    private static final Logger LOG = LoggerFactory.getLogger(InternalCommands.class);

    private final RaftServer server;
    private final RaftGroupId groupId;
    private final Consumer<QuorumCommand> finished;
    private final ClientId clientId = ClientId.randomId();
    private final Set<QuorumCommand> onTheirWay = ConcurrentHashMap.newKeySet();

    /** {@code finished} is told of every command that was answered or failed. */
    InternalCommands(RaftServer server, RaftGroupId groupId, Consumer<QuorumCommand> finished) {
        this.finished = finished;
        this.server = server;
        this.groupId = groupId;
    }

    /** May wait for the log's lock: not for network threads. */
    void submit(QuorumCommand command) {
        if (!onTheirWay.add(command)) {
            return;
        }
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(clientId)
                .setServerId(server.getId())
                .setGroupId(groupId)
                .setCallId(CallId.getAndIncrement())
                .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(CommandCodec.encode(command))))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = server.submitClientRequestAsync(request);
        } catch (IOException | RuntimeException e) {
            reply = CompletableFuture.failedFuture(e);
        }
        reply.whenComplete((answer, failure) -> {
            onTheirWay.remove(command);
            finished.accept(command);
            report(command, answer, failure instanceof CompletionException ? failure.getCause() : failure);
        });
    }

    private static void report(QuorumCommand command, RaftClientReply answer, Throwable failure) {
        if (failure != null || !answer.isSuccess()) {
            LOG.info(
                    "{} was not carried out: {}",
                    command,
                    failure == null ? answer.getException().getMessage() : failure.toString());
        } else if (CommandCodec.decodeAnswer(answer.getMessage().getContent().toByteArray())
                        .reply()
                instanceof QuorumReply.Refused refused) {
            LOG.info("{} was refused: {}", command, refused);
        }
    }
}
