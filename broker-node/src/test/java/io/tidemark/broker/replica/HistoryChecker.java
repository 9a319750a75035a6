package io.tidemark.broker.replica;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Watches a cluster of model logs and says which invariant of section 1.2 a step has broken. */
final class HistoryChecker {
    private record Exposed(ModelLog.Batch batch, int leaderEpoch) {}

    /** Marks and partition epochs seen last, by incarnation. */
    private record Seen(int leaderEpoch, long mark, int partitionEpoch) {}

    private final Map<Node, Seen> seen = new IdentityHashMap<>();
    /** Every record below a high watermark of a leader, ever. */
    private final TreeMap<Long, Exposed> exposed = new TreeMap<>();

    int exposedRecords() {
        return exposed.size();
    }

    /** Throws AssertionError with the invariant's number. */
    void check(Collection<Node> nodes, PartitionState metadata) {
        Map<Integer, Node> leaders = new HashMap<>();
        for (Node node : nodes) {
            PartitionState state = node.replica.state();
            if (state == null) {
                continue;
            }
            Seen before = seen.get(node);
            require(before == null || before.partitionEpoch() <= state.partitionEpoch(), "I6", node);
            if (node.replica.leads()) {
                require(state.leader() == node.id && state.isr().contains(node.id), "I11", node);
                require(leaders.put(state.leaderEpoch(), node) == null, "I7", node);
                boolean sameEpoch = before != null && before.leaderEpoch() == state.leaderEpoch();
                long from = sameEpoch ? before.mark() : node.log.start();
                if (sameEpoch && node.mark() > from) {
                    require(node.replica.isr().isr().size() >= state.minIsr(), "I1", node);
                }
                require(!sameEpoch || node.mark() >= from, "R3.1: a leader's mark does not go down", node);
                expose(node, from, state.leaderEpoch());
            }
            require(node.log.explained(), "I8", node);
            seen.put(node, new Seen(state.leaderEpoch(), node.mark(), state.partitionEpoch()));
        }
        leaders.forEach((epoch, leader) -> holdsExposed(leader, epoch, "I3"));
        if (metadata.floor().kind() == Floor.Kind.KNOWN
                && !exposed.isEmpty()
                && exposed.lastKey() >= metadata.floor().offset()) {
            throw new AssertionError("B1 broken: offset " + exposed.lastKey() + " was exposed, the floor is "
                    + metadata.floor() + " of " + metadata);
        }
        for (Node node : nodes) {
            if (metadata.elr().contains(node.id) && !metadata.waitsForFloor(node.id)) {
                require(!metadata.isr().contains(node.id), "I5", node);
                holdsExposed(node, metadata.leaderEpoch(), "I4");
            }
        }
    }

    /** I9, which costs more. */
    void checkMatching(Collection<Node> nodes) {
        for (Node one : nodes) {
            for (Node other : nodes) {
                if (one.id < other.id && !ModelLog.match(one.log, other.log)) {
                    throw new AssertionError(
                            "I9 broken: " + one.id + " " + one.log + " / " + other.id + " " + other.log);
                }
            }
        }
    }

    private void expose(Node leader, long from, int leaderEpoch) {
        for (long offset = from; offset < leader.mark(); offset++) {
            ModelLog.Batch batch = leader.log.at(offset);
            Exposed before = exposed.putIfAbsent(offset, new Exposed(batch, leaderEpoch));
            require(before == null || before.batch().equals(batch), "I13 at offset " + offset, leader);
        }
    }

    private void holdsExposed(Node node, int leaderEpoch, String invariant) {
        for (Map.Entry<Long, Exposed> record : exposed.entrySet()) {
            if (record.getValue().leaderEpoch() <= leaderEpoch) {
                require(
                        record.getValue().batch().equals(node.log.at(record.getKey())),
                        invariant + " at offset " + record.getKey(),
                        node);
            }
        }
    }

    private static void require(boolean holds, String invariant, Node node) {
        if (!holds) {
            throw new AssertionError(invariant + " broken at broker " + node.id + ": " + node.replica.state() + " log "
                    + node.log + " mark " + node.mark() + " " + node.replica.isrState());
        }
    }
}
