package io.tidemark.broker.replica;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A controller of one partition, as small as it can be: clean elections from ISR or ELR, seats below the min ISR (B21),
 * the checks of a proposal, and its history.
 */
final class ModelController {
    /** The metadata at one index. */
    record Version(PartitionState state, Map<Integer, BrokerView> views) {}

    /** What it says to one AlterPartition; the state is that after it. */
    record Verdict(ErrorCode error, int index, PartitionState state) {}

    final List<Version> history = new ArrayList<>();
    private final Random random;
    private final RandomHistory.Fault fault;
    private Map<Integer, BrokerView> views = new TreeMap<>();

    ModelController(PartitionState first, Map<Integer, BrokerView> views, Random random, RandomHistory.Fault fault) {
        this.views.putAll(views);
        this.random = random;
        this.fault = fault;
        history.add(new Version(first, Map.copyOf(views)));
    }

    int index() {
        return history.size() - 1;
    }

    PartitionState state() {
        return history.get(index()).state();
    }

    boolean active(int broker) {
        return views.get(broker).active();
    }

    void fence(int broker) {
        view(broker, views.get(broker).epoch(), false);
        commit(without(broker));
    }

    void unfence(int broker) {
        view(broker, views.get(broker).epoch(), true);
        commit(state().hasLeader() ? state() : elected(state(), state().isr(), state().elr()));
    }

    /** A new incarnation with its log intact: it leaves the ISR, and keeps or takes a seat below the min ISR. */
    void register(int broker, long epoch) {
        view(broker, epoch, false);
        commit(without(broker));
    }

    /** Moves the leadership to that member of the ISR. */
    void move(int broker) {
        if (active(broker) && state().isr().contains(broker) && state().leader() != broker) {
            commit(change(state(), state().isr(), state().elr(), broker, state().leaderEpoch() + 1));
        }
    }

    private void view(int broker, long epoch, boolean active) {
        views = new TreeMap<>(views);
        views.put(broker, new BrokerView(broker, epoch, active));
    }

    private void commit(PartitionState state) {
        history.add(new Version(state, Map.copyOf(views)));
    }

    private PartitionState without(int broker) {
        PartitionState old = state();
        if (!old.isr().contains(broker)) {
            return old;
        }
        List<Integer> isr = new ArrayList<>(old.isr());
        isr.remove(Integer.valueOf(broker));
        List<Integer> elr = seats(old, isr);
        return old.leader() == broker ? elected(old, isr, elr) : change(old, isr, elr, old.leader(), old.leaderEpoch());
    }

    /** Below the min ISR, everybody who was in ISR or ELR and is not in the ISR any more. */
    private static List<Integer> seats(PartitionState old, List<Integer> isr) {
        Set<Integer> elr = new LinkedHashSet<>();
        if (isr.size() < old.minIsr()) {
            elr.addAll(old.elr());
            elr.addAll(old.isr());
            elr.removeAll(isr);
        }
        return List.copyOf(elr);
    }

    private PartitionState elected(PartitionState old, List<Integer> isr, List<Integer> elr) {
        List<Integer> candidates = new ArrayList<>(isr.isEmpty() ? elr : isr);
        if (fault == RandomHistory.Fault.UNCLEAN_ELECTION) {
            candidates = new ArrayList<>(old.replicas());
        }
        candidates.removeIf(candidate -> !active(candidate));
        if (candidates.isEmpty()) {
            boolean same = old.leader() == -1 && isr.equals(old.isr()) && elr.equals(old.elr());
            return same ? old : change(old, isr, elr, -1, old.leaderEpoch() + 1);
        }
        int winner = candidates.get(random.nextInt(candidates.size()));
        List<Integer> after = isr.contains(winner) ? isr : List.of(winner);
        List<Integer> rest = new ArrayList<>(elr);
        rest.remove(Integer.valueOf(winner));
        return change(old, after, after.size() >= old.minIsr() ? List.of() : rest, winner, old.leaderEpoch() + 1);
    }

    private static PartitionState change(
            PartitionState old, List<Integer> isr, List<Integer> elr, int leader, int leaderEpoch) {
        return new PartitionState(
                old.id(),
                old.replicas(),
                isr,
                elr,
                List.of(),
                leader,
                leaderEpoch,
                old.partitionEpoch() + 1,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                old.minIsr());
    }

    Verdict alter(int sender, IsrProposal proposal) {
        PartitionState old = state();
        ErrorCode error = ErrorCode.NONE;
        boolean otherEpoch =
                proposal.partitionEpoch() != old.partitionEpoch() && fault != RandomHistory.Fault.STALE_PARTITION_EPOCH;
        if (proposal.leaderEpoch() > old.leaderEpoch() || proposal.partitionEpoch() > old.partitionEpoch()) {
            error = ErrorCode.NOT_CONTROLLER;
        } else if (proposal.leaderEpoch() < old.leaderEpoch()) {
            error = ErrorCode.FENCED_LEADER_EPOCH;
        } else if (sender != old.leader()) {
            error = ErrorCode.INVALID_REQUEST;
        } else if (otherEpoch) {
            error = ErrorCode.INVALID_UPDATE_VERSION;
        } else if (proposal.isr().stream().anyMatch(this::ineligible)) {
            error = ErrorCode.INELIGIBLE_REPLICA;
        }
        if (error == ErrorCode.NONE) {
            List<Integer> isr = proposal.isr().stream().map(IsrMember::brokerId).toList();
            if (proposal.kind() == IsrProposal.Kind.CANCEL || !isr.equals(old.isr())) {
                commit(change(old, isr, seats(old, isr), old.leader(), old.leaderEpoch()));
            }
        }
        return new Verdict(error, index(), state());
    }

    private boolean ineligible(IsrMember member) {
        BrokerView view = views.get(member.brokerId());
        return !view.active() || (member.brokerEpoch() != -1 && member.brokerEpoch() != view.epoch());
    }
}
