package io.tidemark.broker.health;

import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSink;

/** The metrics of one partition (R9.11, R9.12). */
final class PartitionMetrics {
    private PartitionMetrics() {}

    static void put(PartitionFigures figures, MetricSink sink) {
        // As Kafka has it, these are of every replica's broker, and 0 where it does not lead.
        sink.gauge(partition("UnderReplicated", figures), figures.underReplicated() ? 1 : 0);
        sink.gauge(partition("UnderMinIsr", figures), figures.underMinIsr() ? 1 : 0);
        sink.gauge(partition("AtMinIsr", figures), figures.atMinIsr() ? 1 : 0);
        sink.gauge(
                partition("InSyncReplicasCount", figures),
                figures.leads() ? figures.state().isr().size() : 0);
        sink.gauge(
                partition("ReplicasCount", figures),
                figures.leads() ? figures.state().replicas().size() : 0);
        sink.gauge(log("LogStartOffset", figures), figures.logStart());
        sink.gauge(log("LogEndOffset", figures), figures.logEnd());
        sink.gauge(log("Size", figures), figures.bytes());
        sink.gauge(log("NumLogSegments", figures), figures.segments());
        if (figures.follows()) {
            MetricName lag = MetricName.of("kafka.server", "FetcherLagMetrics", "ConsumerLag")
                    .with("clientId", fetcher(figures.state().leader()));
            sink.gauge(tagged(lag, figures), figures.lag());
        }
    }

    /** The client id under which fetches from that leader are known; here one fetcher per leader. */
    static String fetcher(int leader) {
        return "ReplicaFetcherThread-0-" + leader;
    }

    private static MetricName partition(String name, PartitionFigures figures) {
        return tagged(MetricName.of("kafka.cluster", "Partition", name), figures);
    }

    private static MetricName log(String name, PartitionFigures figures) {
        return tagged(MetricName.of("kafka.log", "Log", name), figures);
    }

    private static MetricName tagged(MetricName name, PartitionFigures figures) {
        return name.with("topic", figures.name().topic()).with("partition", figures.name().partition());
    }
}
