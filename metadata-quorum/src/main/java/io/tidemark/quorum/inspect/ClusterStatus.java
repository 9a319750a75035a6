package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery.StatusAnswer;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A cluster as its controllers describe it, and whether it is healthy.
 *
 * @param leaderId the acting controller among those that answered, -1 if none says so
 * @param image of the acting controller, else the latest there is; null if nobody answered
 */
record ClusterStatus(List<Controller> controllers, int leaderId, ClusterImage image, List<Partition> partitions) {

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

        boolean underReplicated() {
            return state.isr().size() < state.replicas().size();
        }

        boolean offline() {
            return !state.hasLeader();
        }
    }

    static ClusterStatus of(List<StatusProbe.Result> results) {
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
                image == null ? List.of() : partitions(image));
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

    List<Partition> underReplicated() {
        return partitions.stream().filter(Partition::underReplicated).toList();
    }

    List<Partition> underMinIsr() {
        return partitions.stream()
                .filter(partition -> partition.state().underMinIsr())
                .toList();
    }

    List<Partition> offline() {
        return partitions.stream().filter(Partition::offline).toList();
    }

    /** What keeps the cluster from being healthy, a sentence each; empty if it is. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (Controller controller : controllers) {
            if (!controller.reachable()) {
                problems.add("controller " + controller.id() + " (" + controller.address() + ") does not answer: "
                        + controller.problem());
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
                problems.add("broker " + broker.id() + " is " + (broker.fenced() ? "fenced" : "shutting down"));
            }
        }
        count(problems, underReplicated(), "under-replicated");
        count(problems, underMinIsr(), "under min ISR");
        count(problems, offline(), "offline");
        return problems;
    }

    private static void count(List<String> problems, List<Partition> partitions, String what) {
        if (partitions.size() == 1) {
            problems.add("partition " + partitions.get(0).name() + " is " + what);
        } else if (!partitions.isEmpty()) {
            problems.add(partitions.size() + " partitions are " + what + ", such as "
                    + partitions.get(0).name());
        }
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
