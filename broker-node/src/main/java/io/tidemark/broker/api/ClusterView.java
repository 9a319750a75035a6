package io.tidemark.broker.api;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * The image as the clients of one listener see it: a broker is usable to them if it is not fenced and has an endpoint of
 * that listener.
 *
 * @param self the broker that answers
 */
record ClusterView(ClusterImage image, String listener, int self) {
    static final int NO_BROKER = -1;

    /** Brokers that are not fenced and can be reached through this listener, by id. */
    List<BrokerState> aliveBrokers() {
        List<BrokerState> alive = new ArrayList<>();
        for (BrokerState broker : image.brokers().values()) {
            if (usable(broker.id())) {
                alive.add(broker);
            }
        }
        alive.sort((a, b) -> Integer.compare(a.id(), b.id()));
        return alive;
    }

    boolean usable(int brokerId) {
        BrokerState broker = image.broker(brokerId);
        return broker != null && !broker.fenced() && broker.endpoint(listener) != null;
    }

    Endpoint endpoint(BrokerState broker) {
        return broker.endpoint(listener);
    }

    /**
     * The broker that clients are to send changes of the cluster to: every broker takes them, so it is the one they have
     * just reached, or the first alive one if that is fenced; -1 if there is none.
     */
    int controllerId() {
        if (usable(self)) {
            return self;
        }
        List<BrokerState> alive = aliveBrokers();
        return alive.isEmpty() ? NO_BROKER : alive.get(0).id();
    }

    /** The leader, or -1 if there is none that these clients can use (R7.90, R7.91). */
    int leader(PartitionState partition) {
        return usable(partition.leader()) ? partition.leader() : NO_BROKER;
    }

    /** Why {@link #leader} is -1; NONE if it is not (R7.91). */
    Errors leaderError(PartitionState partition, boolean knowsListenerErrors) {
        if (leader(partition) != NO_BROKER) {
            return Errors.NONE;
        }
        BrokerState leader = image.broker(partition.leader());
        boolean onlyListenerMissing = leader != null && !leader.fenced();
        return onlyListenerMissing && knowsListenerErrors ? Errors.LISTENER_NOT_FOUND : Errors.LEADER_NOT_AVAILABLE;
    }

    /** Replicas on brokers that are fenced, gone, or not on this listener (R7.91). */
    List<Integer> offlineReplicas(PartitionState partition) {
        List<Integer> offline = new ArrayList<>();
        for (int replica : partition.replicas()) {
            if (!usable(replica)) {
                offline.add(replica);
            }
        }
        return offline;
    }

    static Uuid uuid(TopicId id) {
        return new Uuid(id.high(), id.low());
    }

    static TopicId topicId(Uuid id) {
        return new TopicId(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
