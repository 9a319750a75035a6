package io.tidemark.broker.sim;

import io.tidemark.broker.replica.LeaderProbe;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** Whether the cluster has come to rest: everybody there, every ISR full, nothing pending, all logs and marks equal. */
final class Convergence {
    private final Simulation sim;
    private final Leftovers leftovers;

    Convergence(Simulation sim) {
        this.sim = sim;
        this.leftovers = new Leftovers(sim);
    }

    /** Why it has not yet, in words; null if it has. */
    String missing() {
        ClusterImage image = sim.controllers().newest();
        for (int id = 1; id <= sim.profile().brokers(); id++) {
            BrokerState broker = image.broker(id);
            Process process = sim.machine(id).process();
            if (broker == null || !broker.active() || process == null || process.brokerEpoch() != broker.epoch()) {
                return "broker " + id + " is not there: " + broker;
            }
        }
        if (sim.topic() == null) {
            return "no topic";
        }
        for (TopicState topic : sim.topics()) {
            for (PartitionState state : topic.partitions()) {
                String missing = missing(state);
                if (missing != null) {
                    return "partition " + topic.name() + "-" + state.id().partition() + " " + state + " of "
                            + state.replicas() + ": " + missing;
                }
            }
        }
        return leftovers.found();
    }

    private String missing(PartitionState state) {
        if (!state.hasLeader()) {
            return "no leader";
        }
        if (state.reassigning()) {
            return "reassignment under way";
        }
        if (!new HashSet<>(state.isr()).equals(new HashSet<>(state.replicas()))) {
            Replica leader = replica(state.leader(), state);
            return "the ISR is not full" + (leader == null ? "" : ", its leader knows " + LeaderProbe.known(leader));
        }
        Replica leader = replica(state.leader(), state);
        if (leader == null || !leader.leads() || leader.changePending()) {
            return "the leader is not at rest";
        }
        for (int id : state.replicas()) {
            Replica replica = replica(id, state);
            if (replica == null || replica.state() == null) {
                return "no replica on broker " + id;
            }
            if (replica.state().partitionEpoch() != state.partitionEpoch()) {
                return "broker " + id + " is at " + replica.state();
            }
            if (replica.logStart() < leader.logStart()) {
                // A later start is no fault: a crash may undo a deletion on one of them (R3.27).
                return "broker " + id + " starts at " + replica.logStart() + ", the leader at " + leader.logStart();
            }
            if (replica.logEnd() != leader.logEnd() || replica.highWatermark() != leader.logEnd()) {
                return "broker " + id + " has its mark at " + replica.highWatermark() + " and its end at "
                        + replica.logEnd() + ", the leader's are " + leader.highWatermark() + " and "
                        + leader.logEnd();
            }
        }
        return null;
    }

    private Replica replica(int broker, PartitionState state) {
        PartitionHost host = host(broker, state);
        return host == null || host.failed() ? null : host.replica();
    }

    private PartitionHost host(int broker, PartitionState state) {
        Process process = sim.machine(broker).process();
        return process == null ? null : process.host(state.id());
    }

    /** The logs of one partition are equal byte for byte, as far as none of them has given up its oldest records. */
    void checkLogs() {
        for (TopicState topic : sim.topics()) {
            topic.partitions().forEach(this::checkLogs);
        }
    }

    private void checkLogs(PartitionState state) {
        long start = 0;
        for (int id : state.replicas()) {
            start = Math.max(start, host(id, state).replica().logStart());
        }
        List<PartitionHistory.Batch> first = null;
        for (int id : state.replicas()) {
            PartitionHost host = host(id, state);
            LogContent content =
                    new LogContent(sim.machine(id), host.name(), host.replica().logStart());
            List<PartitionHistory.Batch> batches =
                    new ArrayList<>(content.readTo(host.replica().logEnd()));
            long from = start;
            batches.removeIf(batch -> batch.base() < from);
            if (first != null && !batches.equals(first)) {
                throw new Violation("logs equal", "broker " + id + " " + state + ": " + batches + " / " + first);
            }
            first = batches;
        }
    }
}
