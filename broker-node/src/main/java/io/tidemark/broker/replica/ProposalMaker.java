package io.tidemark.broker.replica;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.List;

/** Writes what the leader of one epoch asks of the controllers: numbered, with its members' epochs and the floor. */
final class ProposalMaker {
    private final LeaderState leader;
    private final LogView log;
    private final long epochStart;
    private long next;

    ProposalMaker(LeaderState leader) {
        this.leader = leader;
        this.log = leader.log();
        this.epochStart = leader.epochStart();
        // Numbers of one epoch are never those of another, so a late answer to an earlier leadership finds nothing.
        this.next = (long) leader.leaderEpoch() << 32;
    }

    Proposal make(List<Integer> wanted, QuorumCommand.IsrProposal.Kind kind, String reason, long nowMs) {
        return Proposal.of(
                next++,
                new QuorumCommand.IsrProposal(
                        leader.partition().id(),
                        leader.leaderEpoch(),
                        leader.partition().partitionEpoch(),
                        members(wanted),
                        false,
                        kind,
                        floor(),
                        reason),
                nowMs);
    }

    /** R2.16: self with its own epoch, others with that of their last fetch, -1 if unknown. */
    private List<QuorumCommand.IsrMember> members(List<Integer> ids) {
        List<QuorumCommand.IsrMember> members = new ArrayList<>(ids.size());
        for (int id : ids) {
            BrokerView own = leader.brokers().get(leader.self());
            long epoch = id == leader.self()
                    ? (own == null ? -1 : own.epoch())
                    : leader.followers().get(id).brokerEpoch();
            members.add(new QuorumCommand.IsrMember(id, epoch));
        }
        return members;
    }

    /**
     * An upper bound of all that this leader and those before it can have exposed (B1, rule 2): what an older one exposes
     * lies below the start of this epoch, and a fresh leader's mark says nothing of it (trap C1).
     */
    private Floor floor() {
        long offset = floorOffset();
        int epoch = offset > log.logStart() ? log.epochs().epochAt(offset - 1) : -1;
        return Floor.known(offset, epoch, log.highWatermark() >= epochStart);
    }

    long floorOffset() {
        return Math.max(log.highWatermark(), epochStart);
    }
}
