package io.tidemark.quorum.inspect;

import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The partitions that lack something, by what they lack; one may lack several things.
 *
 * @param underReplicated the ISR is smaller than the replicas, without those that a reassignment adds
 * @param underMinIsr nobody leads, or the ISR is below the min ISR: appends with acks=all are refused
 * @param atMinIsr led and under-replicated, and one more loss would make it the former
 * @param offline nobody leads
 * @param elrOnly offline, and only members of the ELR are left to lead: they hold all that was acknowledged
 * @param allReplicasDown the broker of every replica is fenced, not registered or does not answer
 * @param leaderSilent the broker that leads does not answer
 */
record PartitionCounts(
        List<Partition> underReplicated,
        List<Partition> underMinIsr,
        List<Partition> atMinIsr,
        List<Partition> offline,
        List<Partition> elrOnly,
        List<Partition> allReplicasDown,
        List<Partition> leaderSilent) {

    /**
     * @param down brokers that are fenced or not registered, or do not answer
     * @param silent those that do not answer
     */
    static PartitionCounts of(List<Partition> partitions, Predicate<Integer> down, Set<Integer> silent) {
        return new PartitionCounts(
                those(partitions, Partition::underReplicated),
                those(partitions, Partition::underMinIsr),
                those(
                        partitions,
                        partition -> partition.underReplicated()
                                && !partition.offline()
                                && partition.state().isr().size()
                                        == partition.state().minIsr()),
                those(partitions, Partition::offline),
                those(
                        partitions,
                        partition -> partition.offline()
                                && partition.state().isr().isEmpty()
                                && !partition.state().elr().isEmpty()),
                those(
                        partitions,
                        partition -> partition.state().replicas().stream().allMatch(down)),
                those(partitions, partition -> silent.contains(partition.state().leader())));
    }

    private static List<Partition> those(List<Partition> partitions, Predicate<Partition> which) {
        return partitions.stream().filter(which).toList();
    }

    private Map<String, List<Partition>> byName() {
        Map<String, List<Partition>> named = new LinkedHashMap<>();
        named.put("under-replicated", underReplicated);
        named.put("under min ISR", underMinIsr);
        named.put("at min ISR", atMinIsr);
        named.put("offline", offline);
        named.put("offline with only ELR members left", elrOnly);
        named.put("without a replica on a live broker", allReplicasDown);
        named.put("led by a broker that does not answer", leaderSilent);
        return named;
    }

    /** A sentence for each kind there are any of. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        byName().forEach((what, list) -> {
            if (list.size() == 1) {
                problems.add("partition " + list.get(0).name() + " is " + what);
            } else if (!list.isEmpty()) {
                problems.add(list.size() + " partitions are " + what + ", such as "
                        + list.get(0).name());
            }
        });
        return problems;
    }

    /** All numbers in one line. */
    String line() {
        return byName().entrySet().stream()
                .map(entry -> entry.getValue().size() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }
}
