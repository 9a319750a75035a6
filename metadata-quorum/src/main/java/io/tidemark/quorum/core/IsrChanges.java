package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Leaders propose ISRs: one row per partition, the first failed check decides (R7.50-R7.55). Lives for one command, so
 * that a partition named twice is judged the second time by what the first time made of it.
 */
final class IsrChanges {
    private static final int REASONS_IN_CAUSE = 20;

    private final ClusterImage image;
    private final AlterPartition command;
    private final DecideContext context;
    private final Map<PartitionId, PartitionState> changed = new HashMap<>();
    private final EntryBound.Part entry = EntryBound.USUAL.part();
    private final List<String> reasons = new ArrayList<>();
    private final Set<PartitionId> isolated = new HashSet<>();

    private IsrChanges(ClusterImage image, AlterPartition command, DecideContext context) {
        this.image = image;
        this.command = command;
        this.context = context;
    }

    static Decision decide(ClusterImage image, AlterPartition command, DecideContext context) {
        BrokerRef sender = new BrokerRef(command.brokerId(), command.brokerEpoch());
        BrokerState registered = image.broker(command.brokerId());
        if (registered == null || registered.epoch() != command.brokerEpoch()) {
            String message = Causes.stale(sender, registered);
            return Decision.refused(
                    ErrorCode.STALE_BROKER_EPOCH, message, Causes.broker("AlterPartition", sender, message));
        }
        IsrChanges changes = new IsrChanges(image, command, context);
        List<Result> results = command.partitions().stream().map(changes::row).toList();
        return Decision.of(
                        changes.entry.changes(),
                        new AlteredPartitions(results),
                        Causes.broker("AlterPartition", sender, changes.reason()))
                .isolating(changes.isolated);
    }

    private Result row(IsrProposal proposal) {
        PartitionState state = state(proposal.id());
        ErrorCode error = refuse(proposal, state);
        if (error != ErrorCode.NONE) {
            if (error != ErrorCode.INELIGIBLE_REPLICA) {
                reasons.add(proposal.id() + ": " + error);
            }
            return refused(proposal, error);
        }
        PartitionState after = change(proposal, state);
        if (after == null) {
            return refused(proposal, ErrorCode.UNFINISHED);
        }
        if (after.leader() != state.leader()) {
            // R7.54; the record stands, but the sender is told to wait for the metadata.
            return refused(proposal, ErrorCode.NEW_LEADER_ELECTED);
        }
        return new Result(
                proposal.id(),
                ErrorCode.NONE,
                after.leader(),
                after.leaderEpoch(),
                after.isr(),
                after.recovering(),
                after.partitionEpoch());
    }

    private static Result refused(IsrProposal proposal, ErrorCode error) {
        return new Result(proposal.id(), error, PartitionState.NO_LEADER, -1, List.of(), false, -1);
    }

    /** The state that comes of it; null if the entry is full, and nothing comes of it now. */
    private PartitionState change(IsrProposal proposal, PartitionState state) {
        boolean alone = proposal.kind() == IsrProposal.Kind.CHANGE && isolated(proposal, state);
        PartitionChange change = new PartitionChange(state, id -> PartitionMoves.active(image, id))
                .targetIsr(ids(proposal))
                .recovering(proposal.recovering())
                .mode(RecoveryStrategy.of(image, proposal.id()));
        if (proposal.kind() != IsrProposal.Kind.CHANGE) {
            change.targetIsr(state.isr()).recovering(state.recovering()).always();
        } else if (alone) {
            change = new PartitionChange(state, id -> id != state.leader() && isThere(id));
        }
        if (bounds(proposal, state)) {
            change.floor(proposal.floor());
        }
        Optional<PartitionChanged> record = change.build();
        if (record.isEmpty()) {
            return state; // R7.53: nothing to change is a success with the same PE
        }
        if (!entry.add(record.get())) {
            return null;
        }
        PartitionState after = state.with(record.get());
        changed.put(proposal.id(), after);
        if (alone && after.leader() != state.leader()) {
            isolated.add(proposal.id());
            reasons.add(proposal.id() + ": leader " + state.leader() + " reaches nobody who is there; broker "
                    + after.leader() + " leads");
        }
        reasons.add(proposal.id() + " ISR " + state.isr() + " -> " + after.isr()
                + (proposal.reason().isEmpty() ? "" : ": " + proposal.reason()));
        return after;
    }

    /**
     * Whether what the leader says bounds what can have been exposed, and is better than what is known (B1, rule 2). It does
     * if the leader holds its mark: because it acts on an ISR below min, or because it asks for one. It does not if the
     * change goes below min for another reason than its own.
     */
    private static boolean bounds(IsrProposal proposal, PartitionState state) {
        Floor said = proposal.floor();
        boolean held = state.underMinIsr() || proposal.isr().size() < state.minIsr();
        return held
                && said.kind() == Floor.Kind.KNOWN
                && (state.floor().kind() != Floor.Kind.KNOWN
                        || said.offset() < state.floor().offset());
    }

    /**
     * Whether a leader wants to be alone in sync while another member of the ISR is there for the controller: then it is the
     * leader that cannot be reached by the others, and one of them leads, from the ISR as it is (B13).
     */
    private boolean isolated(IsrProposal proposal, PartitionState state) {
        return context.settings().leaderIsolationFailover()
                && ids(proposal).size() == 1
                && !state.recovering()
                && state.isr().stream().anyMatch(id -> id != state.leader() && isThere(id))
                && !context.movedLately().test(state.id());
    }

    private boolean isThere(int id) {
        return PartitionMoves.active(image, id) && context.sessionAlive().test(id);
    }

    /** The checks of R7.51 in their order; NONE if all hold. */
    private ErrorCode refuse(IsrProposal proposal, PartitionState state) {
        if (image.topic(proposal.id().topicId()) == null) {
            return ErrorCode.UNKNOWN_TOPIC_ID;
        }
        if (state == null) {
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (proposal.leaderEpoch() > state.leaderEpoch() || proposal.partitionEpoch() > state.partitionEpoch()) {
            return ErrorCode.NOT_CONTROLLER; // the sender has seen a state that is not here yet
        }
        if (proposal.leaderEpoch() < state.leaderEpoch()) {
            return ErrorCode.FENCED_LEADER_EPOCH;
        }
        if (command.brokerId() != state.leader()) {
            return ErrorCode.INVALID_REQUEST;
        }
        if (proposal.partitionEpoch() < state.partitionEpoch()) {
            return ErrorCode.INVALID_UPDATE_VERSION;
        }
        List<Integer> isr = ids(proposal);
        Set<Integer> members = new HashSet<>(isr);
        if (isr.isEmpty() || members.size() != isr.size() || !state.replicas().containsAll(members)) {
            return ErrorCode.INVALID_REQUEST;
        }
        if (!members.contains(state.leader())) {
            return ErrorCode.INVALID_REQUEST;
        }
        if (proposal.recovering() && (isr.size() > 1 || !state.recovering())) {
            return ErrorCode.INVALID_REQUEST;
        }
        if (proposal.kind() != IsrProposal.Kind.CHANGE) {
            // A report or a cancel keeps the committed ISR, whose members the leader need not know the epochs of.
            return members.equals(new HashSet<>(state.isr())) ? ErrorCode.NONE : ErrorCode.INVALID_REQUEST;
        }
        return eligible(proposal) ? ErrorCode.NONE : ErrorCode.INELIGIBLE_REPLICA;
    }

    private boolean eligible(IsrProposal proposal) {
        boolean all = true;
        for (IsrMember member : proposal.isr()) {
            String why = ineligible(member);
            if (why != null) {
                reasons.add(proposal.id() + ": broker " + member.brokerId() + " " + why);
                all = false;
            }
        }
        return all;
    }

    /** R7.52: the first reason why that broker cannot be in an ISR, or null. */
    private String ineligible(IsrMember member) {
        BrokerState broker = image.broker(member.brokerId());
        if (broker == null) {
            return "is not registered";
        }
        if (broker.shuttingDown()) {
            return "is shutting down";
        }
        if (broker.fenced()) {
            return "is fenced";
        }
        boolean otherIncarnation = member.brokerEpoch() != -1 && member.brokerEpoch() != broker.epoch();
        return otherIncarnation ? "is at epoch " + broker.epoch() + ", not " + member.brokerEpoch() : null;
    }

    private PartitionState state(PartitionId id) {
        PartitionState already = changed.get(id);
        return already != null ? already : image.partition(id);
    }

    private String reason() {
        int more = reasons.size() - REASONS_IN_CAUSE;
        return more <= 0
                ? String.join("; ", reasons)
                : String.join("; ", reasons.subList(0, REASONS_IN_CAUSE)) + "; and " + more + " more";
    }

    private static List<Integer> ids(IsrProposal proposal) {
        return proposal.isr().stream().map(IsrMember::brokerId).toList();
    }
}
