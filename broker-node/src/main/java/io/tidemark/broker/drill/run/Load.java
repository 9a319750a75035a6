package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.AckLedger;
import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.ReadBack;
import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.SteadyWriter;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.judge.Promises;
import io.tidemark.broker.drill.judge.Promises.Ledger;
import io.tidemark.broker.drill.judge.Promises.Reader;
import io.tidemark.broker.drill.plan.WorkloadPlan;
import io.tidemark.broker.drill.plan.WorkloadPlan.ConsumerPlan;
import io.tidemark.broker.drill.plan.WorkloadPlan.ProducerPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;

/** The producers and consumers of a drill, and what they were promised and given. */
final class Load {
    private static final int FIRST_ACKS = 20;
    private static final int LIMIT_S = 60;

    private final String bootstrap;
    private final List<TopicPartition> partitions;
    private final List<Writing> writings = new ArrayList<>();
    private final Map<String, List<WatchedConsumer>> readers = new TreeMap<>();
    private final Set<String> groups = new TreeSet<>();
    /** Added to System.nanoTime in ms, gives the wall clock. */
    private final long wallMinusNanosMs = System.currentTimeMillis() - System.nanoTime() / 1_000_000;

    private volatile boolean started;

    private record Writing(
            int index, ProducerPlan plan, TopicPartition partition, AckLedger ledger, SteadyWriter writer) {}

    /** @param run with which the ids of its groups begin: theirs alone on a cluster that others use */
    Load(String bootstrap, List<TopicPartition> partitions, WorkloadPlan plan, String run) {
        this.bootstrap = bootstrap;
        this.partitions = List.copyOf(partitions);
        for (int index = 0; index < plan.producers().size(); index++) {
            for (TopicPartition partition : partitions) {
                writings.add(writing(index, plan.producers().get(index), partition));
            }
        }
        List<String> topics =
                partitions.stream().map(TopicPartition::topic).distinct().toList();
        for (ConsumerPlan consumer : plan.consumers()) {
            List<WatchedConsumer> members = new ArrayList<>();
            if (consumer.members() == 0) {
                members.add(WatchedConsumer.assigned(bootstrap, consumer.name(), partitions));
            }
            String group = run + "-" + consumer.name();
            for (int number = 1; number <= consumer.members(); number++) {
                members.add(WatchedConsumer.member(bootstrap, group, consumer.name() + "-" + number, topics));
                groups.add(group);
            }
            readers.put(consumer.name(), members);
        }
    }

    private Writing writing(int index, ProducerPlan plan, TopicPartition partition) {
        Map<String, Object> settings = new HashMap<>(SteadyWriter.impatient(bootstrap));
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, plan.name() + "-" + partition);
        settings.put(ProducerConfig.ACKS_CONFIG, plan.acks());
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, plan.idempotent());
        AckLedger ledger = new AckLedger();
        SteadyWriter writer = new SteadyWriter(
                partition, ledger, plan.perSecond(), index * Promises.NUMBERS_PER_PRODUCER, plan.count(), settings);
        return new Writing(index, plan, partition, ledger, writer);
    }

    /** Returns when every producer has its first acks and every consumer its first records. */
    void start() {
        started = true;
        writings.forEach(writing -> writing.writer.start());
        readers.values().forEach(members -> members.forEach(WatchedConsumer::start));
        for (Writing writing : writings) {
            long first = Math.min(FIRST_ACKS, writing.plan.count());
            Waiting.until(
                    "the first acks of " + writing.plan.name(), LIMIT_S, () -> writing.ledger.ackedCount() >= first);
        }
        for (TopicPartition partition : partitions) {
            readers.forEach((name, members) -> Waiting.until(
                    "the first records for " + name,
                    LIMIT_S,
                    () -> members.stream()
                            .anyMatch(member -> !member.reads(partition).isEmpty())));
        }
    }

    /** Acks of acks=all so far. */
    long promised(TopicPartition partition) {
        return writings.stream()
                .filter(writing -> writing.partition.equals(partition) && writing.plan.promises())
                .mapToLong(writing -> writing.ledger.ackedCount())
                .sum();
    }

    /** Whether some producer still writes: one with a count may be done. */
    boolean writes(TopicPartition partition) {
        return writings.stream()
                .anyMatch(writing -> writing.partition.equals(partition)
                        && writing.plan.promises()
                        && writing.writer.sentCount() < writing.plan.count());
    }

    /** Waits until every record sent was acknowledged or given up: a minute at most. */
    void finishWriting() {
        writings.forEach(writing -> writing.writer.stop());
        writings.forEach(writing -> writing.writer.finish());
    }

    /** For a drill that failed. */
    void abandon() {
        writings.forEach(writing -> writing.writer.abandon());
        stopReading();
    }

    /** Again, where it was done already, is nothing. */
    void stopReading() {
        readers.values().forEach(members -> members.forEach(WatchedConsumer::stop));
    }

    /** The ids of its groups; none before it was started, since they are not there. */
    Set<String> groups() {
        return started ? new TreeSet<>(groups) : Set.of();
    }

    /** All that is in the partitions, once the consumers have had time to see it: 30 s at most. */
    Map<TopicPartition, List<ReadRecord>> readBack() {
        Map<TopicPartition, List<ReadRecord>> records = new HashMap<>();
        for (TopicPartition partition : partitions) {
            records.put(partition, ReadBack.all(bootstrap, partition, told(partition)));
        }
        for (Map.Entry<String, List<WatchedConsumer>> reader : readers.entrySet()) {
            try {
                Waiting.until(reader.getKey() + " to see everything", 30, () -> hasSeen(reader.getValue(), records));
            } catch (DrillException e) {
                // What it did not see is counted.
                continue;
            }
        }
        stopReading();
        return records;
    }

    /** One past the highest offset that was promised to a producer, or given to a consumer. */
    private long told(TopicPartition partition) {
        long acked = writings.stream()
                .filter(writing -> writing.partition.equals(partition) && writing.plan.promises())
                .mapToLong(writing -> writing.ledger.end())
                .max()
                .orElse(0);
        long given = readers.values().stream()
                .flatMap(members -> members.stream().flatMap(member -> member.reads(partition).stream()))
                .mapToLong(ReadRecord::offset)
                .max()
                .orElse(-1);
        return Math.max(acked, given + 1);
    }

    private boolean hasSeen(List<WatchedConsumer> members, Map<TopicPartition, List<ReadRecord>> records) {
        for (TopicPartition partition : partitions) {
            Set<ReadRecord> seen = new HashSet<>();
            members.forEach(member -> seen.addAll(member.reads(partition)));
            if (!seen.containsAll(records.get(partition))) {
                return false;
            }
        }
        return true;
    }

    /** Consumers that ended before their time, with what ended them. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        readers.forEach((name, members) -> members.forEach(member -> {
            if (member.failure() != null) {
                failures.add("consumer " + name + " ended: " + member.failure());
            }
        }));
        return failures;
    }

    /** @param records what is in the partition */
    Promises promises(TopicPartition partition, List<ReadRecord> records) {
        List<Ledger> ledgers = writings.stream()
                .filter(writing -> writing.partition.equals(partition))
                .map(writing -> new Ledger(
                        writing.index,
                        writing.plan,
                        writing.ledger.acks(),
                        wall(writing.ledger.ackNanos()),
                        writing.ledger.failedCount()))
                .toList();
        List<Reader> all = new ArrayList<>();
        readers.forEach((name, members) -> {
            List<ReadRecord> reads = new ArrayList<>();
            members.forEach(member -> reads.addAll(member.reads(partition)));
            all.add(new Reader(name, reads));
        });
        return new Promises(partition, ledgers, all, records);
    }

    private TreeMap<Long, Long> wall(TreeMap<Long, Long> nanos) {
        TreeMap<Long, Long> wall = new TreeMap<>();
        nanos.forEach((number, at) -> wall.put(number, at / 1_000_000 + wallMinusNanosMs));
        return wall;
    }
}
