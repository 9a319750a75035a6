package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.plan.NodeWords;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;

/** Finds the nodes that a step means, as the cluster is at that moment. */
final class NodeFinder {
    private static final int SETTLE_S = 90;

    private final DrillCluster cluster;
    private final Admins admins;

    NodeFinder(DrillCluster cluster, Admins admins) {
        this.cluster = cluster;
        this.admins = admins;
    }

    /**
     * The nodes that are meant now; throws DrillException if there are none.
     *
     * @param named by earlier steps
     */
    Set<Integer> find(String words, Map<String, Set<Integer>> named) {
        NodeWords meant = NodeWords.of(words, named.keySet());
        Set<Integer> nodes = switch (meant.kind()) {
            case NAME -> named.get(meant.argument());
            case ID -> Set.of(Integer.valueOf(meant.argument()));
            case ALL_BROKERS -> cluster.brokers();
            case ALL_CONTROLLERS -> cluster.controllers();
            case ALL_NODES -> new TreeSet<>(cluster.nodes());
            case ACTING_CONTROLLER -> Set.of(actingController());
            case OTHER_CONTROLLERS -> {
                Set<Integer> others = cluster.controllers();
                others.remove(actingController());
                yield others;
            }
            default -> replicas(meant);
        };
        if (nodes.isEmpty()) {
            throw new DrillException("there is no " + words + " now");
        }
        return new TreeSet<>(nodes);
    }

    private int actingController() {
        int[] leader = {-1};
        Waiting.until("an acting controller", SETTLE_S, () -> {
            admins.check();
            try {
                leader[0] = admins.actingController();
            } catch (DrillException e) {
                return false;
            }
            return leader[0] >= 0;
        });
        return leader[0];
    }

    private Set<Integer> replicas(NodeWords meant) {
        TopicPartition partition = FaultInjector.partition(meant.argument());
        PartitionView view = admins.insistOnLook(List.of(partition.topic())).get(partition);
        Set<Integer> nodes = new TreeSet<>();
        switch (meant.kind()) {
            case LEADER -> nodes.add(view.leader());
            case FOLLOWER ->
                view.isr().stream()
                        .filter(id -> id != view.leader())
                        .findFirst()
                        .ifPresent(nodes::add);
            default -> {
                nodes.addAll(view.replicas());
                if (meant.kind() == NodeWords.Kind.FOLLOWERS) {
                    nodes.remove(view.leader());
                }
            }
        }
        nodes.remove(-1);
        return nodes;
    }
}
