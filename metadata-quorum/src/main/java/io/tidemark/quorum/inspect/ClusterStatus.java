package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery.StatusAnswer;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cluster as its controllers describe it, and whether it is healthy.
 *
 * @param leaderId the acting controller among those that answered, -1 if none says so
 * @param image of the acting controller, else the latest there is; null if nobody answered
 * @param nodes what the nodes say of themselves; empty if they were not asked
 */
record ClusterStatus(
        List<Controller> controllers,
        int leaderId,
        ClusterImage image,
        List<Partition> partitions,
        List<NodeAnswer> nodes) {

    /**
     * @param lag entries it has still to apply, of those known to be committed anywhere; -1 if it did not answer
     * @param answer null if it did not answer, and then {@code problem} says why
     */
    record Controller(int id, String address, boolean leads, long lag, StatusAnswer answer, String problem) {
        boolean reachable() {
            return answer != null;
        }
    }

    /** One partition under its topic's name. */
    record Partition(String topic, PartitionState state) {
        String name() {
            return topic + "-" + state.id().partition();
        }

        /** A replica that a reassignment adds need not be there yet. */
        boolean underReplicated() {
            return state.isr().size() < state.replicas().size() - state.adding().size();
        }

        /** An ISR that nobody leads takes no append, however large it is. */
        boolean underMinIsr() {
            return offline() || state.underMinIsr();
        }

        boolean offline() {
            return !state.hasLeader();
        }
    }

    static ClusterStatus of(List<StatusProbe.Result> results) {
        return of(results, List.of());
    }

    static ClusterStatus of(List<StatusProbe.Result> results, List<NodeAnswer> nodes) {
        List<StatusAnswer> answers = results.stream()
                .map(StatusProbe.Result::answer)
                .filter(Objects::nonNull)
                .toList();
        // A controller that was deposed and does not know yet answers with an older term.
        StatusAnswer leader = answers.stream()
                .filter(answer -> answer.leaderId() == answer.nodeId())
                .max(Comparator.comparingLong(StatusAnswer::term))
                .orElse(null);
        StatusAnswer best = leader != null
                ? leader
                : answers.stream()
                        .max(Comparator.comparingLong(StatusAnswer::appliedIndex))
                        .orElse(null);
        long committed =
                answers.stream().mapToLong(StatusAnswer::commitIndex).max().orElse(-1);
        List<Controller> controllers = results.stream()
                .map(result -> new Controller(
                        result.controller().id(),
                        result.controller().address(),
                        result.answer() != null && result.answer() == leader,
                        result.answer() == null
                                ? -1
                                : Math.max(0, committed - result.answer().appliedIndex()),
                        result.answer(),
                        result.problem()))
                .toList();
        ClusterImage image = best == null ? null : best.image();
        return new ClusterStatus(
                controllers,
                leader == null ? -1 : leader.nodeId(),
                image,
                image == null ? List.of() : partitions(image),
                nodes);
    }

    private static List<Partition> partitions(ClusterImage image) {
        List<Partition> partitions = new ArrayList<>();
        image.topics().values().stream()
                .sorted(Comparator.comparing(TopicState::name))
                .forEach(topic ->
                        topic.partitions().forEach(state -> partitions.add(new Partition(topic.name(), state))));
        return List.copyOf(partitions);
    }

    List<BrokerState> brokers() {
        return image == null
                ? List.of()
                : image.brokers().values().stream()
                        .sorted(Comparator.comparingInt(BrokerState::id))
                        .toList();
    }

    /** Brokers whose death only the session timer would show, and why, by id (B5); empty without an acting controller. */
    Map<Integer, String> fastPathOff() {
        return controllers.stream()
                .filter(Controller::leads)
                .findFirst()
                .map(controller -> controller.answer().fastPathOff())
                .orElse(Map.of());
    }

    PartitionCounts counts() {
        Set<Integer> silent = nodes.stream()
                .filter(node -> !node.answered())
                .map(NodeAnswer::id)
                .collect(Collectors.toSet());
        return PartitionCounts.of(partitions, id -> silent.contains(id) || isDown(id), silent);
    }

    private boolean isDown(int broker) {
        BrokerState state = image.broker(broker);
        return state == null || state.fenced();
    }

    /** What keeps the cluster from being healthy, a sentence each; empty if it is. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        // Who has a line already.
        Set<Integer> told = new HashSet<>();
        for (Controller controller : controllers) {
            if (!controller.reachable()) {
                problems.add("controller " + controller.id() + " (" + controller.address() + ") does not answer: "
                        + controller.problem());
                told.add(controller.id());
            }
        }
        if (leaderId < 0) {
            problems.add("there is no acting controller");
        }
        if (replicasDiverge()) {
            problems.add("controllers that have applied the same entries hold different metadata");
        }
        if (image != null && image.brokers().isEmpty()) {
            problems.add("no broker is registered");
        }
        for (BrokerState broker : brokers()) {
            if (!broker.active()) {
                told.add(broker.id());
                problems.add("broker " + broker.id() + " is " + (broker.fenced() ? "fenced" : "shutting down")
                        + nodes.stream()
                                .filter(node -> node.id() == broker.id())
                                .map(node -> node.complaint().isEmpty() ? "" : ", and " + node.complaint())
                                .collect(Collectors.joining()));
            }
        }
        for (NodeAnswer node : nodes) {
            problems.addAll(told.contains(node.id()) ? node.furtherProblems() : node.problems());
        }
        if (image != null) {
            problems.addAll(counts().problems());
        }
        return problems;
    }

    /** What may become a problem, a sentence each. */
    List<String> warnings() {
        return nodes.stream()
                .flatMap(node -> node.warnings().stream().map(warning -> "node " + node.id() + ": " + warning))
                .toList();
    }

    private boolean replicasDiverge() {
        List<StatusAnswer> answers = controllers.stream()
                .map(Controller::answer)
                .filter(Objects::nonNull)
                .toList();
        return answers.stream()
                .anyMatch(left -> answers.stream()
                        .anyMatch(right ->
                                left.image().index() == right.image().index() && left.digest() != right.digest()));
    }
}
