package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/** The partition changes that follow from a broker going or coming; at most one per partition, in partition order. */
final class PartitionMoves {
    static final String UNCLEAN_KEY = "unclean.leader.election.enable";

    private PartitionMoves() {}

    /**
     * All these brokers leave the ISR of their partitions in one step, and none of them may lead what they leave (R7.20,
     * B4). Costs what the brokers hold.
     *
     * @param unclean those of them that lose their seat in the ELR as well (R7.45)
     */
    static List<PartitionChanged> leave(ClusterImage image, Set<Integer> brokers, Set<Integer> unclean) {
        IntPredicate acceptable = id -> !brokers.contains(id) && active(image, id);
        Modes modes = new Modes(image);
        List<PartitionChanged> changes = new ArrayList<>();
        for (PartitionId id : heldBy(image, brokers)) {
            PartitionState state = image.partition(id);
            if (seatsAny(state.isr(), brokers) || seatsAny(state.elr(), unclean)) {
                new PartitionChange(state, acceptable)
                        .leavingIsr(brokers)
                        .unclean(unclean)
                        .mode(modes.of(id))
                        .build()
                        .ifPresent(changes::add);
            }
        }
        return changes;
    }

    /** Elections where nobody leads, now that this broker may (R7.22). */
    static List<PartitionChanged> electWith(ClusterImage image, int arrived) {
        return electLeaderless(image, id -> id == arrived || active(image, id));
    }

    /** Elections where nobody leads, as the configuration now allows them (R7.35). */
    static List<PartitionChanged> electLeaderless(ClusterImage image) {
        return electLeaderless(image, id -> active(image, id));
    }

    private static List<PartitionChanged> electLeaderless(ClusterImage image, IntPredicate acceptable) {
        List<PartitionId> leaderless = new ArrayList<>();
        image.leaderless().forEach(leaderless::add);
        Collections.sort(leaderless);
        Modes modes = new Modes(image);
        List<PartitionChanged> changes = new ArrayList<>();
        for (PartitionId id : leaderless) {
            new PartitionChange(image.partition(id), acceptable)
                    .mode(modes.of(id))
                    .build()
                    .ifPresent(changes::add);
        }
        return changes;
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

    /** R7.35: a topic that prefers being available to being complete says so in its configuration. */
    static LeaderElection.Mode mode(ClusterImage image, PartitionId id) {
        String topic = image.topic(id.topicId()).name();
        return "true".equals(image.topicConfig(topic, UNCLEAN_KEY))
                ? LeaderElection.Mode.UNCLEAN
                : LeaderElection.Mode.ONLINE;
    }

    /** {@link #mode} of one partition after another, looked up once per topic: they come in topic order. */
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
                mode = PartitionMoves.mode(image, id);
            }
            return mode;
        }
    }

    private static boolean seatsAny(List<Integer> members, Set<Integer> brokers) {
        for (int member : members) {
            if (brokers.contains(member)) {
                return true;
            }
        }
        return false;
    }
}
