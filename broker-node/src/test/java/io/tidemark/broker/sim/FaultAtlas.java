package io.tidemark.broker.sim;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which faults the cluster is obliged to survive. Anything may happen to network, processes and controllers; what a
 * machine holds may be lost only while, for each of its partitions, somebody else with a seat in ISR or ELR keeps what he
 * has. Where only what is synced is acknowledged, what is not synced may be lost at any time, by all at once.
 */
final class FaultAtlas {
    private final Simulation sim;
    /** Machines that may have lost something and were not registered since, with the broker epoch they had. */
    private final Map<Integer, Long> suspects = new HashMap<>();

    FaultAtlas(Simulation sim) {
        this.sim = sim;
    }

    /** Whether that machine may lose what is not synced: with nothing acknowledged among it, whenever it likes (B16). */
    boolean mayCrash(int broker) {
        return sim.profile().log().synced() || mayLose(broker);
    }

    /** Whether that machine may lose what it holds, or the cluster's trust in it. */
    boolean mayLose(int broker) {
        ClusterImage image = sim.controllers().newest();
        suspects.keySet().removeIf(other -> registeredSince(image, other));
        for (TopicState topic : image.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                if (!state.replicas().contains(broker)) {
                    continue;
                }
                Set<Integer> seats = new HashSet<>(state.isr());
                state.elr().stream().filter(seat -> !state.waitsForFloor(seat)).forEach(seats::add);
                seats.remove(broker);
                seats.removeAll(suspects.keySet());
                if (seats.isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A change of the min ISR empties every ELR (B1 rule 8), which a partition without a leader may need. */
    boolean mayChangeMinIsr() {
        for (TopicState topic : sim.controllers().newest().topics().values()) {
            for (PartitionState state : topic.partitions()) {
                if (!state.hasLeader()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** That machine may lose, or have lost, what it held. */
    void loses(int broker) {
        var registered = sim.controllers().newest().broker(broker);
        suspects.put(broker, registered == null ? -1L : registered.epoch());
    }

    private boolean registeredSince(ClusterImage image, int broker) {
        var registered = image.broker(broker);
        Process process = sim.machine(broker).process();
        return registered != null
                && registered.epoch() > suspects.get(broker)
                && process != null
                && process.brokerEpoch() == registered.epoch();
    }
}
