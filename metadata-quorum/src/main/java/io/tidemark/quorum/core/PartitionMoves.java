package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/** The partition changes that follow from a broker going or coming; at most one per partition, in partition order. */
final class PartitionMoves {
    private PartitionMoves() {}

    /**
     * All these brokers leave the ISR of their partitions in one step, and none of them may lead what they leave (R7.20,
     * B4). Costs what the brokers hold.
     */
    static List<PartitionChanged> leave(ClusterImage image, Set<Integer> brokers) {
        IntPredicate acceptable = id -> !brokers.contains(id) && active(image, id);
        Modes modes = new Modes(image);
        List<PartitionChanged> changes = new ArrayList<>();
        for (PartitionId id : heldBy(image, brokers)) {
            PartitionState state = image.partition(id);
            if (!Collections.disjoint(state.isr(), brokers)) {
                new PartitionChange(state, acceptable)
                        .leavingIsr(brokers)
                        .mode(modes.of(id))
                        .build()
                        .ifPresent(changes::add);
            }
        }
        return changes;
    }

    /** That broker will not come back: it leaves every ISR, every ELR and every list of who is waited for (R7.5). */
    static List<PartitionChanged> forget(ClusterImage image, int broker) {
        Set<Integer> gone = Set.of(broker);
        IntPredicate acceptable = id -> id != broker && active(image, id);
        Modes modes = new Modes(image);
        List<PartitionChanged> changes = new ArrayList<>();
        for (PartitionId id : heldBy(image, gone)) {
            PartitionState state = image.partition(id);
            if (state.isr().contains(broker) || state.elr().contains(broker) || state.report(broker) != null) {
                new PartitionChange(state, acceptable)
                        .leavingIsr(gone)
                        .forgetting(gone)
                        .mode(modes.of(id))
                        .build()
                        .ifPresent(changes::add);
            }
        }
        return changes;
    }

    /**
     * A new incarnation of a broker leaves every ISR, and where it has or had a seat, that is judged by what it says of its
     * log (R7.45, B1). A partition that it does not speak of is one of which it has nothing.
     */
    static List<PartitionChanged> returned(ClusterImage image, RegisterBroker command, boolean intact) {
        int broker = command.brokerId();
        Map<PartitionId, SeatReport> reports = new HashMap<>();
        command.reports().forEach(report -> reports.put(report.partition(), report));
        IntPredicate acceptable = id -> id != broker && active(image, id);
        Modes modes = new Modes(image);
        List<PartitionChanged> changes = new ArrayList<>();
        for (PartitionId id : heldBy(image, Set.of(broker))) {
            PartitionState state = image.partition(id);
            boolean doubted =
                    state.report(broker) != null || (!intact && state.elr().contains(broker));
            if (doubted || state.isr().contains(broker)) {
                new PartitionChange(state, acceptable)
                        .returned(reports.getOrDefault(id, SeatReport.nothing(broker, id)), intact)
                        .mode(modes.of(id))
                        .build()
                        .ifPresent(changes::add);
            }
        }
        return changes;
    }

    /**
     * Elections where nobody leads.
     *
     * @param whole whether that is all of them; if not, {@link #electLeaderless} on what comes of these has more
     */
    record Elections(List<PartitionChanged> changes, boolean whole) {}

    /**
     * Elections where nobody leads, now that this broker may (R7.22); as many as one entry takes. Only where the broker is
     * a replica, or the replicas change: elsewhere nothing is new since the last attempt.
     */
    static Elections electWith(ClusterImage image, int arrived, EntryBound most) {
        Set<PartitionId> leaderless = image.leaderless();
        Set<PartitionId> held = image.partitionsOf(arrived);
        Set<PartitionId> concerned = new HashSet<>();
        if (leaderless.size() < held.size()) {
            for (PartitionId id : leaderless) {
                if (held.contains(id) || image.reassigning().contains(id)) {
                    concerned.add(id);
                }
            }
        } else {
            concerned.addAll(held);
            concerned.addAll(image.reassigning());
            concerned.removeIf(id -> image.partition(id).hasLeader());
        }
        return elect(image, concerned, id -> id == arrived || active(image, id), most);
    }

    /** Elections where nobody leads, as the configuration now allows them (R7.35); as many as one entry takes. */
    static Elections electLeaderless(ClusterImage image, EntryBound most) {
        return elect(image, image.leaderless(), id -> active(image, id), most);
    }

    private static Elections elect(
            ClusterImage image, Set<PartitionId> leaderless, IntPredicate acceptable, EntryBound most) {
        List<PartitionId> inOrder = new ArrayList<>(leaderless);
        Collections.sort(inOrder);
        Modes modes = new Modes(image);
        EntryBound.Part part = most.part();
        for (PartitionId id : inOrder) {
            Optional<PartitionChanged> change = election(image.partition(id), acceptable, modes);
            if (change.isPresent() && !part.add(change.get())) {
                return new Elections(part.changes(), false);
            }
        }
        return new Elections(part.changes(), true);
    }

    private static Optional<PartitionChanged> election(PartitionState state, IntPredicate acceptable, Modes modes) {
        return new PartitionChange(state, acceptable).mode(modes.of(state.id())).build();
    }

    /** Whether somebody may lead a partition that nobody leads. */
    static boolean electable(ClusterImage image) {
        IntPredicate acceptable = id -> active(image, id);
        Modes modes = new Modes(image);
        for (PartitionId id : image.leaderless()) {
            Optional<PartitionChanged> change = election(image.partition(id), acceptable, modes);
            if (change.map(PartitionChanged::leader).orElse(PartitionState.NO_LEADER) != PartitionState.NO_LEADER) {
                return true;
            }
        }
        return false;
    }

    /** The partitions that {@link #leave} looks at, each once, in order. */
    static List<PartitionId> heldBy(ClusterImage image, Set<Integer> brokers) {
        Set<PartitionId> held = new HashSet<>();
        for (int broker : brokers) {
            image.partitionsOf(broker).forEach(held::add);
        }
        List<PartitionId> inOrder = new ArrayList<>(held);
        Collections.sort(inOrder);
        return inOrder;
    }

    static boolean leadsAny(ClusterImage image, int broker) {
        for (PartitionId id : image.partitionsOf(broker)) {
            if (image.partition(id).leader() == broker) {
                return true;
            }
        }
        return false;
    }

    static boolean active(ClusterImage image, int id) {
        BrokerState broker = image.broker(id);
        return broker != null && broker.active();
    }

    /** The mode of one partition after another, looked up once per topic: they come in topic order. */
    private static final class Modes {
        private final ClusterImage image;
        private TopicId topic;
        private LeaderElection.Mode mode;

        Modes(ClusterImage image) {
            this.image = image;
        }

        LeaderElection.Mode of(PartitionId id) {
            if (!id.topicId().equals(topic)) {
                topic = id.topicId();
                mode = RecoveryStrategy.of(image, id);
            }
            return mode;
        }
    }
}
