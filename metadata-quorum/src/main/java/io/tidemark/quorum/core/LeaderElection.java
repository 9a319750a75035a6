package io.tidemark.quorum.core;

import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Who leads a partition, given who may.
 *
 * <p>A replica is <em>valid</em> if it is acceptable and in the target ISR or, when the target ISR is empty, has a proven
 * seat in the target ELR (R7.31, {@link Seats}). The ELR is thus used only when nobody is left in the ISR. Of several
 * proven members any will do, for what one lacks lies above what can have been exposed. The last-known leader is never
 * elected for being that (B1).
 *
 * <pre>
 * ONLINE      current leader, if valid; else the first valid replica; else nobody                       (R7.32)
 * BALANCED    as ONLINE; instead of nobody, if the target ISR is empty, the best of the last ISR and ELR
 *             once all of them have reported: records may be lost                                       (B1)
 * AGGRESSIVE  as ONLINE; instead of nobody, the best acceptable replica: records may be lost            (R7.33)
 * PREFERRED   the first of all replicas, if valid; else as ONLINE                                       (R7.34)
 * </pre>
 */
final class LeaderElection {
    /** How far an election may go. */
    enum Mode {
        ONLINE,
        BALANCED,
        AGGRESSIVE,
        PREFERRED
    }

    /**
     * @param leader the broker, or {@link PartitionState#NO_LEADER}
     * @param unclean it was not known to hold all that was exposed
     */
    record Outcome(int leader, boolean unclean) {}

    private LeaderElection() {}

    /**
     * @param replicas in order of preference
     * @param seats those that go with that ISR
     * @param current the leader before, or {@link PartitionState#NO_LEADER}
     * @param acceptable active brokers, as seen by the decision at hand (R7.30)
     */
    static Outcome elect(
            Mode mode,
            List<Integer> replicas,
            List<Integer> isr,
            Seats.Beside seats,
            int current,
            IntPredicate acceptable) {
        List<Integer> electable = isr.isEmpty() ? seats.proven() : isr;
        IntPredicate valid = replica -> electable.contains(replica) && acceptable.test(replica);
        if (mode == Mode.PREFERRED && valid.test(replicas.get(0))) {
            return new Outcome(replicas.get(0), false);
        }
        if (current != PartitionState.NO_LEADER && valid.test(current)) {
            return new Outcome(current, false);
        }
        for (int replica : replicas) {
            if (valid.test(replica)) {
                return new Outcome(replica, false);
            }
        }
        int any = PartitionState.NO_LEADER;
        if (mode == Mode.AGGRESSIVE) {
            any = UncleanRecovery.aggressive(replicas, seats, acceptable);
        } else if (mode == Mode.BALANCED && isr.isEmpty()) {
            any = UncleanRecovery.balanced(seats, acceptable);
        }
        return new Outcome(any, any != PartitionState.NO_LEADER);
    }
}
