package io.tidemark.quorum.ratis;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
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
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;

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

    /** Attempts to make one the acting controller: another may win the election that follows. */
    private static final int TRANSFERS = 5;

    private final ActingController acting;
    private final long patienceMs;

    /**
     * @param known some controllers of the quorum; the others are learned
     * @param patienceMs how long an acting controller is looked for, milliseconds
     */
    public QuorumAdmin(List<QuorumVoter> known, String clusterId, QuorumRpc rpc, long patienceMs) {
        this.patienceMs = patienceMs;
        this.acting = new ActingController(known, clusterId, rpc, patienceMs, CHANGE_MS);
    }

    /** The members as the acting controller sees them. Throws IOException if there is none in time. */
    public MembersAnswer members() throws IOException {
        return acting.members();
    }

    /** The members once no change is under way. */
    private MembersAnswer settled() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        MembersAnswer members = members();
        while (members.changing()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException("another change of the members is under way: " + names(voters(members)));
            }
            ActingController.pause();
            members = members();
        }
        return members;
    }

    /**
     * Takes a running controller with an empty log in; returns when it has the log and counts. False if it was a member.
     */
    public boolean add(QuorumVoter voter) throws IOException {
        acting.know(voter);
        MembersAnswer now = settled();
        if (has(now, voter.id())) {
            return false;
        }
        List<QuorumVoter> coming = new ArrayList<>(voters(now));
        coming.add(voter);
        now = awaitMajority(now, coming, voter.id());
        change(
                now,
                coming,
                "controller " + voter.id() + " did not get the log: is it running, and reached from the others at "
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
            now = awaitMajority(now, coming, -1);
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
        int from = now.leaderId();
        String problem = "";
        for (int i = 0; i < TRANSFERS; i++) {
            if (to >= 0 ? now.leaderId() == to : now.leaderId() != from) {
                return now;
            }
            now = awaitSuccessor(now, to);
            problem = handOver(now, successor(now, to));
            // Another one may have been quicker: then that one is asked to hand over.
            now = members();
        }
        if (to >= 0 ? now.leaderId() == to : now.leaderId() != from) {
            return now;
        }
        throw new IOException(
                "controller " + now.leaderId() + " still acts" + (problem.isEmpty() ? "" : ": " + problem));
    }

    /** Just after an election the acting controller has not yet heard of everybody. */
    private MembersAnswer awaitSuccessor(MembersAnswer members, int to) throws IOException {
        MembersAnswer now = members;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENT_MS);
        while ((to < 0 || has(now, to)) && !canSucceed(now, to) && System.nanoTime() - deadline < 0) {
            ActingController.pause();
            now = members();
        }
        return now;
    }

    /** Whether that one, or for -1 any other than the acting one, has the log. */
    private static boolean canSucceed(MembersAnswer now, int to) {
        return now.voters().stream()
                .filter(member -> to < 0 ? member.id() != now.leaderId() : member.id() == to)
                .anyMatch(member -> isThere(now, member));
    }

    private static Member successor(MembersAnswer now, int to) throws IOException {
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
        return successor;
    }

    /** Returns what went wrong, empty if nothing did. */
    private String handOver(MembersAnswer now, Member successor) {
        try {
            acting.transfer(now.leaderId(), successor.id());
            return "";
        } catch (IOException e) {
            return ActingController.reason(e);
        }
    }

    private void change(MembersAnswer from, List<QuorumVoter> coming, String whatIfLate) throws IOException {
        List<QuorumVoter> present = voters(from);
        MembersAnswer now = from;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CHANGE_MS);
        String problem = "";
        while (System.nanoTime() - deadline < 0) {
            try {
                acting.change(now.leaderId(), arguments(present, coming));
                return;
            } catch (ReconfigurationTimeoutException e) {
                throw new IOException(whatIfLate, e);
            } catch (ReconfigurationInProgressException e) {
                problem = "another change of the members is under way";
            } catch (IOException e) {
                problem = ActingController.reason(e);
                acting.learnFrom(e);
            }
            ActingController.pause();
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

    private static SetConfigurationRequest.Arguments arguments(List<QuorumVoter> present, List<QuorumVoter> coming) {
        return SetConfigurationRequest.Arguments.newBuilder()
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .setServersInCurrentConf(
                        present.stream().map(RatisProperties::peer).toList())
                .setServersInNewConf(coming.stream().map(RatisProperties::peer).toList())
                .build();
    }

    /** Just after an election the acting controller has not yet heard of everybody. */
    private MembersAnswer awaitMajority(MembersAnswer members, List<QuorumVoter> coming, int joining)
            throws IOException {
        MembersAnswer now = members;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENT_MS);
        while (true) {
            try {
                requireMajority(now, coming, joining);
                return now;
            } catch (IOException e) {
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
            ActingController.pause();
            now = settled();
        }
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

    @Override
    public void close() throws IOException {
        acting.close();
    }
}
