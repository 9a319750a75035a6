package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;

/**
 * The way to the acting controller, whoever that is: asks those that are known one after another and learns of others.
 * Requests are sent once; who sends them knows what a lost answer means. One thread.
 */
final class ActingController implements Closeable {
    private static final long ANSWER_MS = 2_000;
    private static final long RETRY_MS = 100;

    private final Set<QuorumVoter> known;
    private final RaftClient questions;
    private final RaftClient changes;
    private final long patienceMs;

    /**
     * @param known some controllers of the quorum
     * @param patienceMs how long an acting controller is looked for, milliseconds
     * @param changeMs how long a change may take to be answered, milliseconds
     */
    ActingController(List<QuorumVoter> known, String clusterId, QuorumRpc rpc, long patienceMs, long changeMs) {
        this.known = new LinkedHashSet<>(known);
        this.patienceMs = patienceMs;
        this.questions = client(known, clusterId, rpc, ANSWER_MS);
        this.changes = client(known, clusterId, rpc, changeMs);
    }

    private static RaftClient client(List<QuorumVoter> known, String clusterId, QuorumRpc rpc, long timeoutMs) {
        RaftProperties properties = RatisProperties.common(rpc);
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, TimeDuration.valueOf(timeoutMs, TimeUnit.MILLISECONDS));
        return RaftClient.newBuilder()
                .setRaftGroup(RatisProperties.group(clusterId, known))
                .setProperties(properties)
                .build();
    }

    /** The members as the acting controller sees them. Throws IOException if there is none in time. */
    MembersAnswer members() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        List<String> problems = new ArrayList<>();
        do {
            problems.clear();
            for (QuorumVoter controller : List.copyOf(known)) {
                try {
                    MembersAnswer members = ask(controller);
                    members.voters()
                            .forEach(member -> know(QuorumVoter.parseList(member.id() + "@" + member.address())
                                    .get(0)));
                    return members;
                } catch (IOException | QueryFailedException e) {
                    problems.add("controller " + controller.id() + ": " + reason(e));
                    learnFrom(e);
                }
            }
            pause();
        } while (System.nanoTime() - deadline < 0);
        throw new IOException("there is no acting controller (" + String.join("; ", problems) + ")");
    }

    private MembersAnswer ask(QuorumVoter controller) throws IOException {
        RaftClientReply reply = questions
                .getClientRpc()
                .sendRequest(RaftClientRequest.newBuilder()
                        .setClientId(questions.getId())
                        .setServerId(RatisProperties.peerId(controller.id()))
                        .setGroupId(questions.getGroupId())
                        .setCallId(CallId.getAndIncrement())
                        .setMessage(Message.valueOf(
                                UnsafeByteOperations.unsafeWrap(QueryCodec.encode(new QuorumQuery.Members()))))
                        .setType(RaftClientRequest.readRequestType(true))
                        .build());
        if (!reply.isSuccess()) {
            throw reply.getException();
        }
        return QueryCodec.decodeMembers(reply.getMessage().getContent().toByteArray());
    }

    /** What a failed request says of who acts. */
    void learnFrom(Exception problem) {
        if (problem instanceof NotLeaderException notLeader && notLeader.getSuggestedLeader() != null) {
            RaftPeer leader = notLeader.getSuggestedLeader();
            know(QuorumVoter.parseList(leader.getId() + "@" + leader.getAddress())
                    .get(0));
        }
    }

    /** One that may be asked, too. */
    void know(QuorumVoter voter) {
        if (known.add(voter)) {
            List<RaftPeer> peer = List.of(RatisProperties.peer(voter));
            questions.getClientRpc().addRaftPeers(peer);
            changes.getClientRpc().addRaftPeers(peer);
        }
    }

    /** One attempt; throws IOException for every answer but success. */
    void change(int actingId, SetConfigurationRequest.Arguments members) throws IOException {
        send(new SetConfigurationRequest(
                changes.getId(), peer(actingId), changes.getGroupId(), CallId.getAndIncrement(), members));
    }

    /** One attempt; throws IOException for every answer but success. */
    void transfer(int actingId, int successor) throws IOException {
        send(new TransferLeadershipRequest(
                changes.getId(),
                peer(actingId),
                changes.getGroupId(),
                CallId.getAndIncrement(),
                peer(successor),
                ANSWER_MS));
    }

    private void send(RaftClientRequest request) throws IOException {
        RaftClientReply reply = changes.getClientRpc().sendRequest(request);
        if (!reply.isSuccess()) {
            throw reply.getException();
        }
    }

    private static RaftPeerId peer(int nodeId) {
        return RatisProperties.peerId(nodeId);
    }

    /** What went wrong, in one line. */
    static String reason(Throwable problem) {
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getMessage() == null ? root.toString() : root.getMessage();
        return text.lines().findFirst().orElse(root.toString());
    }

    /** Between attempts. */
    static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
    }

    @Override
    public void close() throws IOException {
        questions.close();
        changes.close();
    }
}
