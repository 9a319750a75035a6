package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Fences too large for one entry, of which some partition changes are still owed (B4). A controller that takes over in
 * the middle finds them in the image: a fenced broker that is in an ISR. Only fenced brokers that may be so are looked at:
 * all when a term begins, and those whose fence was just written.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls.
 */
public final class FenceRemainder {
    private final Set<Integer> suspects = new TreeSet<>();

    /** A term as the acting controller begins. */
    public void activate(ClusterImage applied) {
        suspects.clear();
        for (BrokerState broker : applied.brokers().values()) {
            if (broker.fenced()) {
                suspects.add(broker.id());
            }
        }
    }

    /** A command to fence was answered, in whatever way. */
    public void finished(FenceBrokers command) {
        command.brokers().forEach(broker -> suspects.add(broker.brokerId()));
    }

    /** The command that goes on with what is owed, if anything is. */
    public Optional<FenceBrokers> due(ClusterImage applied) {
        List<BrokerRef> owed = new ArrayList<>();
        for (Iterator<Integer> ids = suspects.iterator(); ids.hasNext(); ) {
            BrokerState broker = applied.broker(ids.next());
            if (broker != null && broker.fenced() && inAnIsr(applied, broker.id())) {
                owed.add(new BrokerRef(broker.id(), broker.epoch()));
            } else {
                ids.remove();
            }
        }
        return owed.isEmpty()
                ? Optional.empty()
                : Optional.of(new FenceBrokers(owed, "the rest of a large fence", true));
    }

    private static boolean inAnIsr(ClusterImage applied, int broker) {
        for (PartitionId id : applied.partitionsOf(broker)) {
            if (applied.partition(id).isr().contains(broker)) {
                return true;
            }
        }
        return false;
    }
}
