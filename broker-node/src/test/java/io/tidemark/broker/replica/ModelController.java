package io.tidemark.broker.replica;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A controller of one partition, as small as it can be: clean elections from ISR or proven ELR, seats below the min ISR by
 * floor and report (B1, B21), the checks of a proposal, and its history.
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
        PartitionState old = state();
        commit(old.hasLeader() ? old : elected(old, old.isr(), old.elr(), old.unproven()));
    }

    /** A new incarnation leaves the ISR; without an intact log its seat is judged by the floor as it was before (B1). */
    void register(int broker, long epoch, boolean intact, SeatReport report) {
        view(broker, epoch, false);
        PartitionState old = state();
        boolean seated = old.isr().contains(broker) || old.elr().contains(broker);
        boolean doubted =
                seated && (!intact || old.waitsForFloor(broker)) && fault != RandomHistory.Fault.SEAT_NOT_JUDGED;
        boolean judged = doubted && old.floor().kind() == Floor.Kind.KNOWN;
        List<Integer> isr = minus(old.isr(), broker);
        List<Integer> elr = seats(old, isr);
        if (judged && !report.holds(old.floor())) {
            elr = minus(elr, broker);
        }
        List<SeatReport> reports = new ArrayList<>(old.unproven());
        reports.removeIf(known -> known.brokerId() == broker);
        if (doubted && !judged) {
            reports.add(report);
        }
        boolean same = isr.equals(old.isr()) && elr.equals(old.elr()) && reports.equals(old.unproven());
        if (same) {
            commit(old);
        } else if (old.leader() == broker) {
            commit(elected(old, isr, elr, reports));
        } else {
            commit(change(old, isr, elr, old.leader(), old.leaderEpoch(), old.floor(), reports));
        }
    }

    private static List<Integer> minus(List<Integer> members, int broker) {
        return members.stream().filter(member -> member != broker).toList();
    }

    /** Moves the leadership to that member of the ISR. */
    void move(int broker) {
        if (active(broker) && state().isr().contains(broker) && state().leader() != broker) {
            PartitionState old = state();
            commit(change(old, old.isr(), old.elr(), broker, old.leaderEpoch() + 1, old.floor(), old.unproven()));
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
        List<Integer> isr = minus(old.isr(), broker);
        List<Integer> elr = seats(old, isr);
        return old.leader() == broker
                ? elected(old, isr, elr, old.unproven())
                : change(old, isr, elr, old.leader(), old.leaderEpoch(), old.floor(), old.unproven());
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

    private PartitionState elected(PartitionState old, List<Integer> isr, List<Integer> elr, List<SeatReport> reports) {
        List<Integer> candidates = new ArrayList<>(isr.isEmpty() ? elr : isr);
        reports.forEach(report -> candidates.remove(Integer.valueOf(report.brokerId())));
        if (fault == RandomHistory.Fault.UNCLEAN_ELECTION) {
            candidates.clear();
            candidates.addAll(old.replicas());
        }
        candidates.removeIf(candidate -> !active(candidate));
        if (candidates.isEmpty()) {
            boolean same = old.leader() == -1 && isr.equals(old.isr()) && elr.equals(old.elr());
            return same ? old : change(old, isr, elr, -1, old.leaderEpoch() + 1, old.floor(), reports);
        }
        int winner = candidates.get(random.nextInt(candidates.size()));
        List<Integer> after = isr.contains(winner) ? isr : List.of(winner);
        return change(old, after, minus(elr, winner), winner, old.leaderEpoch() + 1, old.floor(), reports);
    }

    /** With the floor, seats and reports that go with that ISR. */
    private PartitionState change(
            PartitionState old,
            List<Integer> isr,
            List<Integer> elr,
            int leader,
            int leaderEpoch,
            Floor floor,
            List<SeatReport> reports) {
        boolean below = isr.size() < old.minIsr();
        Floor kept = floor.kind() == Floor.Kind.NONE ? Floor.UNKNOWN : floor;
        boolean outlives = fault == RandomHistory.Fault.FLOOR_OUTLIVES_ITS_PERIOD && floor.kind() == Floor.Kind.KNOWN;
        return new PartitionState(
                old.id(),
                old.replicas(),
                isr,
                below ? elr : List.of(),
                List.of(),
                leader,
                leaderEpoch,
                old.partitionEpoch() + 1,
                false,
                List.of(),
                List.of(),
                below || outlives ? kept : Floor.NONE,
                below
                        ? reports.stream()
                                .filter(report -> elr.contains(report.brokerId()))
                                .toList()
                        : List.of(),
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
            if (proposal.kind() != IsrProposal.Kind.CHANGE || !isr.equals(old.isr())) {
                commit(accepted(old, isr, proposal.floor()));
            }
        }
        return new Verdict(error, index(), state());
    }

    /** The floor counts if the leader holds its mark; who waits for it is judged in the same change. */
    private PartitionState accepted(PartitionState old, List<Integer> isr, Floor said) {
        boolean held = old.underMinIsr() || isr.size() < old.minIsr();
        boolean better = old.floor().kind() != Floor.Kind.KNOWN
                || said.offset() < old.floor().offset();
        Floor floor = held && better && isr.size() < old.minIsr() ? said : old.floor();
        List<Integer> elr = new ArrayList<>(seats(old, isr));
        List<SeatReport> reports = old.unproven();
        if (floor.kind() == Floor.Kind.KNOWN) {
            reports.stream()
                    .filter(report -> !report.holds(floor))
                    .forEach(report -> elr.remove(Integer.valueOf(report.brokerId())));
            reports = List.of();
        }
        return change(old, isr, elr, old.leader(), old.leaderEpoch(), floor, reports);
    }

    private boolean ineligible(IsrMember member) {
        BrokerView view = views.get(member.brokerId());
        return !view.active() || (member.brokerEpoch() != -1 && member.brokerEpoch() != view.epoch());
    }
}
