package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
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
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;

/**
 * Changes the members of a quorum, one at a time, while it works. Every change names the members it was decided on, so
 * one that meets others changes nothing; a change without an answer is looked up, not guessed. Failures are IOExceptions
 * in words for the operator. One thread.
 */
public final class QuorumAdmin implements Closeable {
    /** A member that was silent for longer does not count as there, milliseconds. */
    static final long SILENT_MS = 3_000;

    /** What a new member may take to get the log, and a change to be carried out. */
    private static final long CHANGE_MS = 60_000;

    private static final long ANSWER_MS = 2_000;
    private static final long RETRY_MS = 100;

    private final Set<QuorumVoter> known;
    private final RaftClient questions;
    private final RaftClient changes;
    private final long patienceMs;

    /**
     * @param known some controllers of the quorum; the others are learned
     * @param patienceMs how long an acting controller is looked for, milliseconds
     */
    public QuorumAdmin(List<QuorumVoter> known, String clusterId, QuorumRpc rpc, long patienceMs) {
        this.known = new LinkedHashSet<>(known);
        this.patienceMs = patienceMs;
        this.questions = client(known, clusterId, rpc, ANSWER_MS);
        this.changes = client(known, clusterId, rpc, CHANGE_MS);
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
    public MembersAnswer members() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        List<String> problems = new ArrayList<>();
        do {
            problems.clear();
            for (QuorumVoter controller : List.copyOf(known)) {
                try {
                    MembersAnswer members = ask(controller);
                    members.voters().forEach(member -> know(voter(member)));
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

    /** The members once no change is under way. */
    private MembersAnswer settled() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        MembersAnswer members = members();
        while (members.changing()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException("another change of the members is under way: " + names(voters(members)));
            }
            pause();
            members = members();
        }
        return members;
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

    private void learnFrom(Exception problem) {
        if (problem instanceof NotLeaderException notLeader && notLeader.getSuggestedLeader() != null) {
            RaftPeer leader = notLeader.getSuggestedLeader();
            know(QuorumVoter.parseList(leader.getId() + "@" + leader.getAddress())
                    .get(0));
        }
    }

    private void know(QuorumVoter voter) {
        if (known.add(voter)) {
            List<RaftPeer> peer = List.of(RatisProperties.peer(voter));
            questions.getClientRpc().addRaftPeers(peer);
            changes.getClientRpc().addRaftPeers(peer);
        }
    }

    /**
     * Takes a running controller with an empty log in; returns when it has the log and counts. False if it was a member.
     */
    public boolean add(QuorumVoter voter) throws IOException {
        know(voter);
        MembersAnswer now = settled();
        if (has(now, voter.id())) {
            return false;
        }
        List<QuorumVoter> coming = new ArrayList<>(voters(now));
        coming.add(voter);
        requireMajority(now, coming, voter.id());
        change(
                now,
                coming,
                "controller " + voter.id() + " did not get the log: is it running, and reached from the" + " others at "
                        + voter.address() + "?");
        return true;
    }

    /**
     * Lets a member go, whether it runs or not; if it acts, another one takes over first. False if it was none.
     *
     * @param force although the others would not be enough, or too few of them are there
     */
    public boolean remove(int id, boolean force) throws IOException {
        MembersAnswer now = settled();
        if (!has(now, id)) {
            return false;
        }
        List<QuorumVoter> coming = new ArrayList<>(voters(now));
        coming.removeIf(voter -> voter.id() == id);
        if (coming.isEmpty()) {
            throw new IOException("controller " + id + " is the only one");
        }
        if (!force) {
            requireMajority(now, coming, -1);
        }
        if (now.leaderId() == id) {
            now = transfer(-1);
        }
        change(now, coming, "the others did not agree in time");
        return true;
    }

    /**
     * Another controller becomes the acting one; the members after that.
     *
     * @param to a member that is there, or -1 for the one that is furthest
     */
    public MembersAnswer transfer(int to) throws IOException {
        MembersAnswer now = settled();
        if (to == now.leaderId()) {
            return now;
        }
        Member successor = now.voters().stream()
                .filter(member -> to < 0 ? member.id() != now.leaderId() : member.id() == to)
                .filter(member -> to >= 0 || isThere(now, member))
                .max(Comparator.comparingLong(Member::endIndex))
                .orElseThrow(() -> new IOException(
                        to < 0
                                ? "there is no other controller that has the log"
                                : "controller " + to + " is no member of the quorum: " + names(voters(now))));
        if (!isThere(now, successor)) {
            throw new IOException("controller " + successor.id() + " is not there, or has not got the whole log");
        }
        String problem;
        try {
            RaftClientReply reply = changes.getClientRpc()
                    .sendRequest(new TransferLeadershipRequest(
                            changes.getId(),
                            RatisProperties.peerId(now.leaderId()),
                            changes.getGroupId(),
                            CallId.getAndIncrement(),
                            RatisProperties.peerId(successor.id()),
                            ANSWER_MS));
            problem = reply.isSuccess() ? "" : reason(reply.getException());
        } catch (IOException e) {
            problem = reason(e);
        }
        MembersAnswer after = members();
        if (to >= 0 ? after.leaderId() != to : after.leaderId() == now.leaderId()) {
            throw new IOException("controller " + after.leaderId() + " acts, not " + successor.id()
                    + (problem.isEmpty() ? "" : ": " + problem));
        }
        return after;
    }

    private void change(MembersAnswer from, List<QuorumVoter> coming, String whatIfLate) throws IOException {
        List<QuorumVoter> present = voters(from);
        MembersAnswer now = from;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CHANGE_MS);
        String problem = "";
        while (System.nanoTime() - deadline < 0) {
            try {
                RaftClientReply reply = changes.getClientRpc().sendRequest(request(now.leaderId(), present, coming));
                if (reply.isSuccess()) {
                    return;
                }
                throw reply.getException();
            } catch (ReconfigurationTimeoutException e) {
                throw new IOException(whatIfLate, e);
            } catch (ReconfigurationInProgressException e) {
                problem = "another change of the members is under way";
            } catch (IOException e) {
                problem = reason(e);
                learnFrom(e);
            }
            pause();
            now = members();
            if (now.changing()) {
                // This change, or one before it: it ends, or the next attempt tells.
                continue;
            }
            if (ids(voters(now)).equals(ids(coming))) {
                return;
            }
            if (!ids(voters(now)).equals(ids(present))) {
                throw new IOException("the members changed meanwhile: " + names(voters(now)));
            }
        }
        throw new IOException(whatIfLate + " (" + problem + ")");
    }

    private SetConfigurationRequest request(int leaderId, List<QuorumVoter> present, List<QuorumVoter> coming) {
        return new SetConfigurationRequest(
                changes.getId(),
                RatisProperties.peerId(leaderId),
                changes.getGroupId(),
                CallId.getAndIncrement(),
                SetConfigurationRequest.Arguments.newBuilder()
                        .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                        .setServersInCurrentConf(
                                present.stream().map(RatisProperties::peer).toList())
                        .setServersInNewConf(
                                coming.stream().map(RatisProperties::peer).toList())
                        .build());
    }

    /** A change that leaves the quorum without a majority could not be carried out, nor taken back. */
    private static void requireMajority(MembersAnswer now, List<QuorumVoter> coming, int joining) throws IOException {
        Set<Integer> there = new LinkedHashSet<>();
        now.voters().stream().filter(member -> isThere(now, member)).forEach(member -> there.add(member.id()));
        there.add(joining);
        List<Integer> missing =
                ids(coming).stream().filter(id -> !there.contains(id)).toList();
        if (coming.size() - missing.size() <= coming.size() / 2) {
            throw new IOException("of the controllers " + names(coming) + " these are not there or have not got the"
                    + " whole log: " + missing + "; too few would be left to decide anything. Start them first");
        }
    }

    /** Whether it was heard of just now and has all that is committed, but for what is under way. */
    public static boolean isThere(MembersAnswer members, Member member) {
        long now = members.voters().stream()
                .filter(other -> other.id() == members.leaderId())
                .mapToLong(Member::seenMs)
                .findFirst()
                .orElse(Long.MAX_VALUE);
        return member.seenMs() >= 0
                && now - member.seenMs() <= SILENT_MS
                && (member.endIndex() >= members.commitIndex() || now - member.caughtUpMs() <= SILENT_MS);
    }

    /** Whether that controller is one of them. */
    public static boolean has(MembersAnswer members, int id) {
        return members.voters().stream().anyMatch(member -> member.id() == id);
    }

    private static List<QuorumVoter> voters(MembersAnswer members) {
        return members.voters().stream().map(QuorumAdmin::voter).toList();
    }

    private static QuorumVoter voter(Member member) {
        return QuorumVoter.parseList(member.id() + "@" + member.address()).get(0);
    }

    private static List<Integer> ids(List<QuorumVoter> voters) {
        return voters.stream().map(QuorumVoter::id).sorted().toList();
    }

    private static String names(List<QuorumVoter> voters) {
        return ids(voters).toString();
    }

    private static String reason(Throwable problem) {
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root.getMessage() == null ? root.toString() : root.getMessage();
        return text.lines().findFirst().orElse(root.toString());
    }

    private static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
    }

    @Override
    public void close() throws IOException {
        questions.close();
        changes.close();
    }
}
