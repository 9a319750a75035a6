package io.tidemark.broker.explore;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;

/**
 * What must hold in every state, beside what a step checks by itself: that a mark rises only at or above the min ISR (I1)
 * and never goes down in one leadership (R3.1), that an exposed prefix does not change (I13), and what the fold and the
 * replicas check (I5, I6, I11, R1.4).
 */
final class Invariants {
    private Invariants() {}

    /** Throws {@link Breach}. */
    static void check(Exposed exposed, Images images, Brokers brokers, Draft state) {
        if (exposed.end() == 0) {
            return;
        }
        PartitionState partition = images.partition(state.image());
        Floor floor = partition.floor();
        if (floor.kind() == Floor.Kind.KNOWN && exposed.end() > floor.offset()) {
            throw new Breach(
                    "B1: the floor is " + floor.offset() + ", and all below " + exposed.end() + " was exposed");
        }
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            if (!state.up(id)) {
                continue;
            }
            Brokers.Face face = brokers.face(state.broker(id));
            if (face.leads()) {
                int missing = exposed.missing(face.log(), face.leaderEpoch());
                require(missing, "I3: broker " + id + " leads in epoch " + face.leaderEpoch());
            }
            // A new incarnation is not a member, and what one that has not registered has lost nobody can know yet.
            if (face.epoch() == images.broker(state.image(), id).epoch()) {
                int missing = exposed.missing(face.log(), Integer.MAX_VALUE);
                if (partition.isr().contains(id)) {
                    require(missing, "I4: broker " + id + " is in the ISR");
                } else if (partition.elr().contains(id) && !partition.waitsForFloor(id)) {
                    require(missing, "I4: broker " + id + " has a proven seat in the ELR");
                }
            }
        }
    }

    private static void require(int missing, String who) {
        if (missing >= 0) {
            throw new Breach(who + " and lacks offset " + missing + ", which was exposed");
        }
    }
}
