package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import io.tidemark.quorum.ratis.QuorumAdmin;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a node can be stopped with every partition still led and open to appends with acks=all, and the controllers
 * still able to decide.
 *
 * <p>A partition bears the stop of a broker if the in-sync replicas that are left, counting only those on brokers that are
 * there, are at least one and at least its min ISR. The quorum bears that of a controller if a majority of all members is
 * left that has the log.
 *
 * @param reasons against it beside those of partitions, a sentence each
 * @param partitions those with a replica on the broker; empty for a controller
 * @param notes what is to be known although it is no reason against it
 */
record SafeToStop(List<String> reasons, List<Answer> partitions, List<String> notes) {
    /**
     * One partition's answer.
     *
     * @param left in-sync replicas on brokers that are there, without the one to be stopped
     * @param reason why it does not bear the stop; empty if it does
     */
    record Answer(Partition partition, List<Integer> left, String reason) {
        boolean safe() {
            return reason.isEmpty();
        }
    }

    SafeToStop {
        reasons = List.copyOf(reasons);
        partitions = List.copyOf(partitions);
        notes = List.copyOf(notes);
    }

    boolean safe() {
        return reasons.isEmpty() && partitions.stream().allMatch(Answer::safe);
    }

    /** Partitions that do not bear the stop. */
    List<Answer> against() {
        return partitions.stream().filter(answer -> !answer.safe()).toList();
    }

    static SafeToStop broker(ClusterStatus status, int broker) {
        List<String> reasons = new ArrayList<>();
        if (status.image() == null) {
            return new SafeToStop(
                    List.of("no controller answers, so nobody can tell what the broker holds"), List.of(), List.of());
        }
        if (status.leaderId() < 0) {
            reasons.add("there is no acting controller: nobody would elect other leaders");
        }
        Set<Integer> there = there(status);
        List<Answer> answers = status.partitions().stream()
                .filter(partition -> partition.state().replicas().contains(broker))
                .map(partition -> answer(partition, broker, serving(status, partition, there)))
                .toList();
        BrokerState state = status.image().broker(broker);
        String note = state == null
                ? "broker " + broker + " is not registered"
                : state.active() ? "" : "broker " + broker + " is " + (state.fenced() ? "fenced" : "shutting down");
        return new SafeToStop(reasons, answers, note.isEmpty() ? List.of() : List.of(note));
    }

    /** Brokers that are active and, where nodes were asked, answer all that they were asked. */
    private static Set<Integer> there(ClusterStatus status) {
        Set<Integer> silent = status.nodes().stream()
                .filter(node -> !node.answered() || !node.troubles().isEmpty())
                .map(NodeAnswer::id)
                .collect(Collectors.toSet());
        return status.brokers().stream()
                .filter(broker -> broker.active() && !silent.contains(broker.id()))
                .map(BrokerState::id)
                .collect(Collectors.toSet());
    }

    /** Of those, the ones whose replica of the partition is not out of service. */
    private static Set<Integer> serving(ClusterStatus status, Partition partition, Set<Integer> there) {
        Set<Integer> serving = new HashSet<>(there);
        status.nodes().stream()
                .filter(node -> node.cannotServe(partition.name()))
                .forEach(node -> serving.remove(node.id()));
        return serving;
    }

    private static Answer answer(Partition partition, int broker, Set<Integer> there) {
        PartitionState state = partition.state();
        List<Integer> left = state.isr().stream()
                .filter(id -> id != broker && there.contains(id))
                .toList();
        return new Answer(partition, left, reason(state, broker, left, there));
    }

    private static String reason(PartitionState state, int broker, List<Integer> left, Set<Integer> there) {
        if (!state.hasLeader()) {
            return mayLead(state, broker) ? "nobody leads, and this broker is one of those who may" : "";
        }
        boolean inSync = state.isr().contains(broker);
        if (left.isEmpty()) {
            return state.replicas().size() == 1
                    ? "it has no other replica"
                    : inSync ? "no other replica is in sync and there" : "no in-sync replica is there";
        }
        if (state.leader() != broker && !there.contains(state.leader())) {
            return "its leader, broker " + state.leader() + ", is not there or has it out of service";
        }
        if (left.size() >= state.minIsr()) {
            return "";
        }
        return inSync
                ? left.size() + " in sync would be left, and min ISR is " + state.minIsr()
                : "only " + left.size() + " in sync are there, min ISR is " + state.minIsr()
                        + ", and this broker has to come back into the ISR";
    }

    /** Whether the election may need that broker, for being elected or for what it tells of its log (B1). */
    private static boolean mayLead(PartitionState state, int broker) {
        return state.isr().contains(broker)
                || state.elr().contains(broker)
                || state.lastKnownElr().contains(broker);
    }

    static SafeToStop controller(MembersAnswer members, int controller) {
        if (members.voters().stream().noneMatch(member -> member.id() == controller)) {
            return new SafeToStop(
                    List.of(), List.of(), List.of("controller " + controller + " is no member of the quorum"));
        }
        List<Member> left = members.voters().stream()
                .filter(member -> member.id() != controller && QuorumAdmin.isThere(members, member))
                .toList();
        List<String> reasons = new ArrayList<>();
        if (members.changing()) {
            reasons.add("a change of the members is under way");
        }
        int needed = members.voters().size() / 2 + 1;
        if (left.size() < needed) {
            reasons.add("of " + members.voters().size() + " members " + left.size()
                    + " that are there and have the log would be left, "
                    + left.stream().map(Member::id).toList() + ", and " + needed + " are needed to decide");
        }
        return new SafeToStop(
                reasons,
                List.of(),
                controller == members.leaderId()
                        ? List.of("controller " + controller + " acts: another one takes over")
                        : List.of());
    }
}
