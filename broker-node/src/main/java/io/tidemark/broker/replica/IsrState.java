package io.tidemark.broker.replica;

import java.util.List;

/**
 * The in-sync replicas as their leader sees them.
 *
 * <pre>
 *   Committed     --joiner is caught up--------------&gt; PendingExpand   (R2.11-R2.14)
 *   Committed     --member lags----------------------&gt; PendingShrink   (R2.17, R2.18)
 *   Committed     --below min, no floor known--------&gt; Reporting       (B1, rule 4)
 *   Pending*      --accepted and applied-------------&gt; Committed, new  (R2.31, B3)
 *   Pending*      --refused, every attempt answered--&gt; Committed, old  (R2.33, B9)
 *   PendingExpand --refused, an attempt is unknown---&gt; Cancelling      (B9, B19)
 *   PendingShrink --refused, holds the mark----------&gt; Cancelling      (B1, rule 3)
 *   any           --metadata with a higher PE--------&gt; Committed, that (R2.41, R2.42)
 *   any           --metadata with the same LE and PE-&gt; unchanged       (B18)
 * </pre>
 *
 * An expansion is assumed to succeed and a shrink is not (R2.5): the high watermark waits for the maximal ISR.
 */
sealed interface IsrState {
    /** Committed in the metadata; min-ISR tests use it (R2.4). */
    List<Integer> isr();

    /** Members and, while an expansion may still take effect, its joiners; the mark and acks wait for all of them. */
    default boolean inMaximalIsr(int broker) {
        return isr().contains(broker);
    }

    default int maximalSize() {
        return isr().size();
    }

    /** The change in flight, or null. */
    default Proposal proposal() {
        return null;
    }

    /** No change in flight. */
    record Committed(List<Integer> isr) implements IsrState {}

    record PendingExpand(List<Integer> isr, List<Integer> joiners, Proposal proposal) implements IsrState {
        @Override
        public boolean inMaximalIsr(int broker) {
            return isr.contains(broker) || joiners.contains(broker);
        }

        @Override
        public int maximalSize() {
            return isr.size() + joiners.size();
        }
    }

    record PendingShrink(List<Integer> isr, List<Integer> leavers, Proposal proposal) implements IsrState {}

    /** The same ISR, with word of how far the mark can have come. */
    record Reporting(List<Integer> isr, Proposal proposal) implements IsrState {}

    /**
     * A refused expansion of which an earlier attempt may still arrive: its joiners stay until PE has moved. Or a refused
     * shrink below min, without joiners: the mark stays where it was said to be until PE has moved.
     */
    record Cancelling(List<Integer> isr, List<Integer> joiners, Proposal proposal) implements IsrState {
        @Override
        public boolean inMaximalIsr(int broker) {
            return isr.contains(broker) || joiners.contains(broker);
        }

        @Override
        public int maximalSize() {
            return isr.size() + joiners.size();
        }
    }
}
