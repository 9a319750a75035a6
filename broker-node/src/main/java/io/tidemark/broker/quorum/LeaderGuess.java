package io.tidemark.broker.quorum;

import io.tidemark.model.config.QuorumVoter;
import java.util.List;
import org.apache.ratis.protocol.exceptions.NotLeaderException;

/** Which controllers there are and which one acts, as far as this broker knows; shared by all who ask them. */
final class LeaderGuess {
    private List<QuorumVoter> voters;
    private int current;
    private boolean confirmed;

    LeaderGuess(List<QuorumVoter> voters) {
        this.voters = voters;
    }

    /** The controllers, at least one. */
    synchronized List<QuorumVoter> voters() {
        return voters;
    }

    /** Members came or went. An empty list says nothing. */
    synchronized void update(List<QuorumVoter> members) {
        if (members.isEmpty() || members.equals(voters)) {
            return;
        }
        QuorumVoter before = voters.get(current);
        voters = List.copyOf(members);
        current = Math.max(0, voters.indexOf(before));
        confirmed = confirmed && voters.contains(before);
    }

    synchronized QuorumVoter current() {
        return voters.get(current);
    }

    /** Whether the current one has answered as the acting controller since anything went wrong. */
    synchronized boolean confirmed() {
        return confirmed;
    }

    /** That controller has answered as the acting one. */
    synchronized void confirm(QuorumVoter voter) {
        int place = voters.indexOf(voter);
        if (place >= 0) {
            current = place;
            confirmed = true;
        }
    }

    /** A request to that controller failed; the next guess is what the failure says, else the next in the list. */
    synchronized void failed(QuorumVoter voter, Throwable failure) {
        if (voters.indexOf(voter) != current) {
            return;
        }
        confirmed = false;
        current = (current + 1) % voters.size();
        if (failure instanceof NotLeaderException notLeader && notLeader.getSuggestedLeader() != null) {
            suggest(Integer.parseInt(notLeader.getSuggestedLeader().getId().toString()));
        }
    }

    /** Somebody says that controller acts; hearsay does not count against one that has shown it. */
    synchronized void suggest(int nodeId) {
        if (confirmed) {
            return;
        }
        for (int i = 0; i < voters.size(); i++) {
            if (voters.get(i).id() == nodeId && i != current) {
                current = i;
            }
        }
    }
}
