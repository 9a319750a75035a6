package io.tidemark.quorum.inspect;

import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How the partitions stand as the brokers that answer tell it: what is known while no controller answers. */
final class BrokerTotals {
    private static final String PREFIX = "kafka_server_replicamanager_";
    private static final int PATIENCE_MS = 2_500;

    private BrokerTotals() {}

    /** In one line; of partitions whose leader does not answer, nothing is known. */
    static String line(List<QuorumVoter> nodes) throws InterruptedException {
        Map<String, Long> sums = new TreeMap<>();
        int brokers = 0;
        for (HttpProbe.Reply reply : HttpProbe.ask(nodes, "/metrics", PATIENCE_MS)) {
            if (reply.status() == 200 && reply.body().contains(PREFIX)) {
                brokers++;
                reply.body().lines().filter(line -> line.startsWith(PREFIX)).forEach(line -> add(line, sums));
            }
        }
        return brokers + " brokers answer: they lead " + of("leadercount", sums) + " partitions, "
                + of("underreplicatedpartitions", sums) + " of them under-replicated, "
                + of("underminisrpartitioncount", sums) + " under min ISR, " + of("atminisrpartitioncount", sums)
                + " at min ISR; " + of("offlinereplicacount", sums) + " replicas are out of service";
    }

    private static void add(String line, Map<String, Long> sums) {
        int space = line.lastIndexOf(' ');
        sums.merge(line.substring(PREFIX.length(), space), Long.parseLong(line.substring(space + 1)), Long::sum);
    }

    private static long of(String name, Map<String, Long> sums) {
        return sums.getOrDefault(name, 0L);
    }
}
