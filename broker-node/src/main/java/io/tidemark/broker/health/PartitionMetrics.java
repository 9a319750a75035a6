package io.tidemark.broker.health;

import io.tidemark.broker.log.LogName;
import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSink;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The metrics of single partitions (R9.11, R9.12). Their names are made once for each partition. */
final class PartitionMetrics {
    private static final class Names {
        private final LogName log;
        private final MetricName underReplicated;
        private final MetricName underMinIsr;
        private final MetricName atMinIsr;
        private final MetricName stableLag;
        private final MetricName inSync;
        private final MetricName replicas;
        private final MetricName start;
        private final MetricName end;
        private final MetricName size;
        private final MetricName segments;
        private int leader = -1;
        private MetricName lag;

        private Names(LogName log) {
            this.log = log;
            underReplicated = partition("UnderReplicated");
            underMinIsr = partition("UnderMinIsr");
            atMinIsr = partition("AtMinIsr");
            stableLag = partition("LastStableOffsetLag");
            inSync = partition("InSyncReplicasCount");
            replicas = partition("ReplicasCount");
            start = log("LogStartOffset");
            end = log("LogEndOffset");
            size = log("Size");
            segments = log("NumLogSegments");
        }

        private MetricName partition(String name) {
            return tagged(MetricName.of("kafka.cluster", "Partition", name));
        }

        private MetricName log(String name) {
            return tagged(MetricName.of("kafka.log", "Log", name));
        }

        private MetricName lag(int from) {
            if (lag == null || from != leader) {
                leader = from;
                lag = tagged(MetricName.of("kafka.server", "FetcherLagMetrics", "ConsumerLag")
                        .with("clientId", fetcher(from)));
            }
            return lag;
        }

        private MetricName tagged(MetricName name) {
            return name.with("topic", log.topic()).with("partition", log.partition());
        }
    }

    private final Map<LogName, Names> names = new HashMap<>();

    /** The client id under which fetches from that leader are known; here one fetcher per leader. */
    static String fetcher(int leader) {
        return "ReplicaFetcherThread-0-" + leader;
    }

    synchronized void put(List<PartitionFigures> all, MetricSink sink) {
        Set<LogName> present = new HashSet<>();
        for (PartitionFigures figures : all) {
            present.add(figures.name());
            put(figures, names.computeIfAbsent(figures.name(), Names::new), sink);
        }
        names.keySet().retainAll(present);
    }

    private static void put(PartitionFigures figures, Names names, MetricSink sink) {
        // As Kafka has it, these are of every replica's broker, and 0 where it does not lead.
        sink.gauge(names.underReplicated, figures.underReplicated() ? 1 : 0);
        sink.gauge(names.underMinIsr, figures.underMinIsr() ? 1 : 0);
        sink.gauge(names.atMinIsr, figures.atMinIsr() ? 1 : 0);
        // There are no transactions: every record below the mark is stable, and none is late.
        sink.gauge(names.stableLag, 0);
        sink.gauge(names.inSync, figures.leads() ? figures.state().isr().size() : 0);
        sink.gauge(names.replicas, figures.leads() ? figures.state().replicas().size() : 0);
        sink.gauge(names.start, figures.logStart());
        sink.gauge(names.end, figures.logEnd());
        sink.gauge(names.size, figures.bytes());
        sink.gauge(names.segments, figures.segments());
        if (figures.follows()) {
            sink.gauge(names.lag(figures.state().leader()), figures.lag());
        }
    }
}
