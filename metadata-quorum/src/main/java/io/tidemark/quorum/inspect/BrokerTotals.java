package io.tidemark.quorum.inspect;

import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How the partitions stand as the brokers that answer tell it: what is known while no controller answers. The numbers mean
 * what {@link PartitionCounts} means by them; of partitions that no broker here leads, nothing is known.
 */
final class BrokerTotals {
    private static final String BROKER = "kafka_server_replicamanager_";
    private static final String UNDER_REPLICATED = "kafka_cluster_partition_underreplicated{";
    private static final String AT_MIN_ISR = "kafka_cluster_partition_atminisr{";
    private static final int PATIENCE_MS = 2_500;

    private final Map<String, Long> sums = new TreeMap<>();
    private final Set<String> underReplicated = new HashSet<>();
    private final Set<String> atMinIsr = new HashSet<>();
    private int brokers;

    private BrokerTotals() {}

    /** In one line. */
    static String line(List<QuorumVoter> nodes) throws InterruptedException {
        BrokerTotals totals = new BrokerTotals();
        for (HttpProbe.Reply reply : HttpProbe.ask(nodes, "/metrics", PATIENCE_MS)) {
            if (reply.status() == 200 && reply.body().contains(BROKER)) {
                totals.brokers++;
                reply.body().lines().forEach(totals::add);
            }
        }
        return totals.line();
    }

    private void add(String line) {
        if (line.startsWith(BROKER)) {
            int space = line.lastIndexOf(' ');
            sums.merge(line.substring(BROKER.length(), space), Long.parseLong(line.substring(space + 1)), Long::sum);
        } else if (line.endsWith("} 1")) {
            // Only the leader says so. What the brokers sum up as at min ISR includes partitions that lack nothing.
            partition(line, UNDER_REPLICATED, underReplicated);
            partition(line, AT_MIN_ISR, atMinIsr);
        }
    }

    private static void partition(String line, String metric, Set<String> found) {
        if (line.startsWith(metric)) {
            found.add(line.substring(metric.length()));
        }
    }

    private String line() {
        return brokers + " brokers answer: they lead " + of("leadercount") + " partitions, "
                + of("underreplicatedpartitions") + " of them under-replicated, "
                + of("underminisrpartitioncount") + " under min ISR, "
                + atMinIsr.stream().filter(underReplicated::contains).count() + " at min ISR; "
                + of("offlinereplicacount") + " replicas are out of service";
    }

    private long of(String name) {
        return sums.getOrDefault(name, 0L);
    }
}
