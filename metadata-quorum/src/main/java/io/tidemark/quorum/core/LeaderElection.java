package io.tidemark.quorum.core;

import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Who leads a partition, given who may.
 *
 * <p>A replica is <em>valid</em> if it is acceptable and in the target ISR, or, when the target ISR is empty, in the
 * target ELR (R7.31). The ELR is thus used only when nobody is left in the ISR. The last-known leader is never elected
 * for being that (B1).
 *
 * <pre>
 * ONLINE      current leader, if valid; else the first valid replica; else nobody                 (R7.32)
 * UNCLEAN     as ONLINE; instead of nobody, the first acceptable replica: records may be lost     (R7.33)
 * PREFERRED   the first of all replicas, if valid; else as ONLINE                                 (R7.34)
 * </pre>
 */
final class LeaderElection {
    /** How far an election may go. */
    enum Mode {
        ONLINE,
        UNCLEAN,
        PREFERRED
    }

    /**
     * @param leader the broker, or {@link PartitionState#NO_LEADER}
     * @param unclean it was in neither ISR nor ELR
     */
    record Outcome(int leader, boolean unclean) {}

    private LeaderElection() {}

    /**
     * @param replicas in order of preference
     * @param current the leader before, or {@link PartitionState#NO_LEADER}
     * @param acceptable active brokers, as seen by the decision at hand (R7.30)
     */
    static Outcome elect(
            Mode mode,
            List<Integer> replicas,
            List<Integer> isr,
            List<Integer> elr,
            int current,
            IntPredicate acceptable) {
        List<Integer> seats = isr.isEmpty() ? elr : isr;
        IntPredicate valid = replica -> seats.contains(replica) && acceptable.test(replica);
        if (mode == Mode.PREFERRED && valid.test(replicas.get(0))) {
            return new Outcome(replicas.get(0), false);
        }
        if (current != PartitionState.NO_LEADER && valid.test(current)) {
            return new Outcome(current, false);
        }
        int clean = first(replicas, valid);
        if (clean != PartitionState.NO_LEADER || mode != Mode.UNCLEAN) {
            return new Outcome(clean, false);
        }
        int any = first(replicas, acceptable);
        return new Outcome(any, any != PartitionState.NO_LEADER);
    }

    private static int first(List<Integer> replicas, IntPredicate wanted) {
        for (int replica : replicas) {
            if (wanted.test(replica)) {
                return replica;
            }
        }
        return PartitionState.NO_LEADER;
    }
}
