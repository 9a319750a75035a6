package io.tidemark.broker.health;

import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.api.ReaderFigures;
import io.tidemark.broker.api.ValidationCounts;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.FetchedFrom;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.Tally;
import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSink;
import io.tidemark.model.health.MetricSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * A broker's metrics under Kafka's names (R9.10-R9.13). They are gathered by one question to each loop, so that nothing is
 * computed while nobody asks.
 */
public final class BrokerMetrics implements MetricSource {
    private static final String SERVER = "kafka.server";
    private static final Map<Counted, MetricName> COUNTED = counted();

    private final Partitions partitions;
    private final FetchHandler fetches;
    private final long patienceMs;
    private final FetchRates rates = new FetchRates();
    private final PartitionMetrics single = new PartitionMetrics();

    /**
     * What one loop answers.
     *
     * @param neverOpened partitions that are out of service because their log could not be opened
     */
    private record LoopFigures(
            List<PartitionFigures> partitions,
            int neverOpened,
            Tally tally,
            List<FetchedFrom> fetched,
            ReaderFigures readers) {}

    /** @param patienceMs how long a loop may take to answer, milliseconds */
    public BrokerMetrics(Partitions partitions, FetchHandler fetches, long patienceMs) {
        this.partitions = partitions;
        this.fetches = fetches;
        this.patienceMs = patienceMs;
    }

    private static Map<Counted, MetricName> counted() {
        Map<Counted, MetricName> names = new EnumMap<>(Counted.class);
        names.put(Counted.ISR_SHRINKS, replicas("IsrShrinksPerSec"));
        names.put(Counted.ISR_EXPANDS, replicas("IsrExpandsPerSec"));
        names.put(Counted.ISR_UPDATES_REFUSED, replicas("FailedIsrUpdatesPerSec"));
        names.put(Counted.MESSAGES_IN, topics("MessagesInPerSec"));
        names.put(Counted.BYTES_IN, topics("BytesInPerSec"));
        names.put(Counted.BYTES_OUT, topics("BytesOutPerSec"));
        names.put(Counted.REPLICATION_BYTES_IN, topics("ReplicationBytesInPerSec"));
        names.put(Counted.REPLICATION_BYTES_OUT, topics("ReplicationBytesOutPerSec"));
        names.put(Counted.REASSIGNMENT_BYTES_IN, topics("ReassignmentBytesInPerSec"));
        names.put(Counted.REASSIGNMENT_BYTES_OUT, topics("ReassignmentBytesOutPerSec"));
        names.put(Counted.PRODUCE_REQUESTS, topics("TotalProduceRequestsPerSec"));
        names.put(Counted.FETCH_REQUESTS, topics("TotalFetchRequestsPerSec"));
        names.put(Counted.FAILED_PRODUCES, topics("FailedProduceRequestsPerSec"));
        names.put(Counted.FAILED_FETCHES, topics("FailedFetchRequestsPerSec"));
        names.put(Counted.PRODUCES_EXPIRED, MetricName.of(SERVER, "DelayedProduceMetrics", "ExpiresPerSec"));
        MetricName expired = MetricName.of(SERVER, "DelayedFetchMetrics", "ExpiresPerSec");
        names.put(Counted.CONSUMER_FETCHES_EXPIRED, expired.with("fetcherType", "consumer"));
        names.put(Counted.FOLLOWER_FETCHES_EXPIRED, expired.with("fetcherType", "follower"));
        return names;
    }

    private static MetricName replicas(String name) {
        return MetricName.of(SERVER, "ReplicaManager", name);
    }

    private static MetricName topics(String name) {
        return MetricName.of(SERVER, "BrokerTopicMetrics", name);
    }

    private static MetricName fetchers(String name) {
        return MetricName.of(SERVER, "ReplicaFetcherManager", name).with("clientId", "Replica");
    }

    @Override
    public void collect(MetricSink sink) {
        List<LoopFigures> loops = OnLoops.askThoseThatTurn(partitions.loops(), this::figures, patienceMs);
        long dead = loops.stream().filter(Objects::isNull).count();
        sink.gauge(fetchers("DeadThreadCount"), dead);
        if (dead > 0) {
            // Sums without a loop would look as if what is counted had gone back.
            return;
        }
        List<PartitionFigures> all = new ArrayList<>();
        List<FetchedFrom> fetched = new ArrayList<>();
        loops.forEach(loop -> all.addAll(loop.partitions));
        loops.forEach(loop -> fetched.addAll(loop.fetched));
        all.sort(Comparator.comparing(PartitionFigures::name));
        replicas(all, loops.stream().mapToInt(LoopFigures::neverOpened).sum(), sink);
        HeldMarks.put(all, sink);
        single.put(all, sink);
        Tally tally = Tally.sum(loops.stream().map(LoopFigures::tally).toList());
        COUNTED.forEach((what, name) -> sink.count(name, tally.of(what)));
        ValidationCounts.forEach((name, count) -> sink.count(topics(name), count));
        fetchers(all, fetched, sink);
        readers(ReaderFigures.sum(loops.stream().map(LoopFigures::readers).toList()), sink);
        waiting(
                "Produce",
                all.stream().mapToLong(PartitionFigures::waitingProduces).sum(),
                sink);
        waiting(
                "DeleteRecords",
                all.stream().mapToLong(PartitionFigures::waitingDeletions).sum(),
                sink);
    }

    private LoopFigures figures(PartitionLoop loop) {
        List<PartitionFigures> figures = new ArrayList<>(loop.hosts().size());
        int neverOpened = 0;
        for (PartitionHost host : loop.hosts()) {
            PartitionFigures found = PartitionFigures.of(host, loop.now());
            if (found != null) {
                figures.add(found);
            } else if (host.failed()) {
                neverOpened++;
            }
        }
        return new LoopFigures(figures, neverOpened, loop.tally().copy(), loop.fetchedFrom(), fetches.figures(loop));
    }

    private static void replicas(List<PartitionFigures> all, int neverOpened, MetricSink sink) {
        sink.gauge(replicas("PartitionCount"), all.size());
        sink.gauge(replicas("LeaderCount"), count(all, PartitionFigures::leads));
        sink.gauge(replicas("OfflineReplicaCount"), neverOpened + count(all, PartitionFigures::failed));
        sink.gauge(replicas("UnderReplicatedPartitions"), count(all, PartitionFigures::underReplicated));
        sink.gauge(replicas("UnderMinIsrPartitionCount"), count(all, PartitionFigures::underMinIsr));
        sink.gauge(replicas("AtMinIsrPartitionCount"), count(all, PartitionFigures::atMinIsr));
        sink.gauge(replicas("ReassigningPartitions"), count(all, PartitionFigures::reassigning));
        // There are no transactions.
        sink.gauge(replicas("PartitionsWithLateTransactionsCount"), 0);
        sink.gauge(
                replicas("ProducerIdCount"),
                all.stream().mapToLong(PartitionFigures::producers).sum());
    }

    private static long count(List<PartitionFigures> all, Predicate<PartitionFigures> which) {
        return all.stream().filter(which).count();
    }

    private void fetchers(List<PartitionFigures> all, List<FetchedFrom> fetched, MetricSink sink) {
        sink.gauge(
                fetchers("MaxLag"),
                all.stream().mapToLong(PartitionFigures::lag).max().orElse(0));
        sink.gauge(
                fetchers("FailedPartitionsCount"), count(all, partition -> partition.failed() && !partition.leads()));
        sink.gauge(fetchers("MinFetchRate"), rates.least(fetched, System.nanoTime()));
        for (FetchedFrom leader : FetchRates.byLeader(fetched)) {
            MetricName stats = MetricName.of(SERVER, "FetcherStats", "RequestsPerSec");
            sink.count(tagged(stats, leader), leader.requests());
            sink.count(tagged(MetricName.of(SERVER, "FetcherStats", "BytesPerSec"), leader), leader.bytes());
        }
    }

    private static MetricName tagged(MetricName name, FetchedFrom leader) {
        return name.with("clientId", PartitionMetrics.fetcher(leader.leader()))
                .with("brokerHost", leader.host())
                .with("brokerPort", leader.port());
    }

    private static void readers(ReaderFigures readers, MetricSink sink) {
        waiting("Fetch", readers.waiting(), sink);
        String type = "FetchSessionCache";
        sink.gauge(MetricName.of(SERVER, type, "NumIncrementalFetchSessions"), readers.sessions());
        sink.gauge(MetricName.of(SERVER, type, "NumIncrementalFetchPartitionsCached"), readers.partitions());
        sink.count(MetricName.of(SERVER, type, "IncrementalFetchSessionEvictionsPerSec"), readers.evictions());
    }

    /** What waits is watched by nothing else, so both numbers are one. */
    private static void waiting(String operation, long count, MetricSink sink) {
        for (String name : List.of("PurgatorySize", "NumDelayedOperations")) {
            sink.gauge(
                    MetricName.of(SERVER, "DelayedOperationPurgatory", name).with("delayedOperation", operation),
                    count);
        }
    }
}
