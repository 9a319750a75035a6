package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Where the replicas of new partitions go (R7.82).
 *
 * <p>Racks stand in a circle, ordered by name, and so do the brokers of a rack. Each partition begins at the rack after
 * the one before it and takes one replica per rack, round and round; a rack moves its circle on whenever it has given a
 * leader. The first replica is unfenced; fenced brokers are taken only when their rack has no unfenced one left. Where it
 * all begins is chance, and brokers are dealt anew after as many partitions as there are unfenced brokers, so that not
 * always the same ones share partitions.
 */
final class ReplicaPlacement {
    /** The brokers of one rack; unfenced ones come before fenced ones, each group from {@code start} on. */
    private static final class Rack {
        final List<Integer> unfenced = new ArrayList<>();
        final List<Integer> fenced = new ArrayList<>();
        int start;
        int taken;

        boolean hasMore() {
            return taken < unfenced.size() + fenced.size();
        }

        int take() {
            int position = taken++;
            return position < unfenced.size()
                    ? unfenced.get((start + position) % unfenced.size())
                    : fenced.get((start + position - unfenced.size()) % fenced.size());
        }
    }

    private final List<Rack> racks;
    private final Seeded chance;
    private final int unfenced;
    private final int usable;
    private int nextRack;
    private int untilDeal;

    private ReplicaPlacement(List<Rack> racks, Seeded chance) {
        this.racks = racks;
        this.chance = chance;
        this.unfenced = racks.stream().mapToInt(rack -> rack.unfenced.size()).sum();
        this.usable =
                unfenced + racks.stream().mapToInt(rack -> rack.fenced.size()).sum();
        this.nextRack = racks.isEmpty() ? 0 : chance.below(racks.size());
    }

    /** Over the brokers that are registered and not just shutting down: one that has stopped may come back, as any fenced one. */
    static ReplicaPlacement over(ClusterImage image, Seeded chance) {
        TreeMap<String, Rack> racks = new TreeMap<>();
        TreeMap<Integer, BrokerState> inOrder = new TreeMap<>();
        image.brokers().forEach(inOrder::put);
        for (BrokerState broker : inOrder.values()) {
            if (broker.fenced() || !broker.shuttingDown()) {
                Rack rack = racks.computeIfAbsent(broker.rack(), name -> new Rack());
                (broker.fenced() ? rack.fenced : rack.unfenced).add(broker.id());
            }
        }
        return new ReplicaPlacement(new ArrayList<>(racks.values()), chance);
    }

    /** Why so many replicas cannot be placed, or null if they can. */
    String problem(int replicationFactor) {
        if (replicationFactor > usable) {
            return "the replication factor " + replicationFactor + " is larger than the number of usable brokers, "
                    + usable;
        }
        return unfenced == 0 ? "all brokers are fenced or shutting down" : null;
    }

    /** Replicas of the next partition, all different, the first unfenced. Only where {@link #problem} is null. */
    List<Integer> next(int replicationFactor) {
        dealWhenDue();
        int at = nextRack;
        while (racks.get(at).unfenced.isEmpty()) {
            at = (at + 1) % racks.size();
        }
        Rack leading = racks.get(at);
        nextRack = (at + 1) % racks.size();
        List<Integer> replicas = new ArrayList<>(replicationFactor);
        racks.forEach(rack -> rack.taken = 0);
        while (replicas.size() < replicationFactor) {
            Rack rack = racks.get(at);
            if (rack.hasMore()) {
                replicas.add(rack.take());
            }
            at = (at + 1) % racks.size();
        }
        leading.start++;
        return List.copyOf(replicas);
    }

    private void dealWhenDue() {
        if (untilDeal == 0) {
            for (Rack rack : racks) {
                chance.shuffle(rack.unfenced);
                chance.shuffle(rack.fenced);
                rack.start = 0;
            }
            untilDeal = unfenced;
        }
        untilDeal--;
    }
}
