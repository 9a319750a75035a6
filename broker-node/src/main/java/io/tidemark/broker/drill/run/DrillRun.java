package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.judge.Availability;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Explanation;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.Promises;
import io.tidemark.broker.drill.judge.Reckoning;
import io.tidemark.broker.drill.judge.Survival;
import io.tidemark.broker.drill.plan.ClusterPlan.TopicPlan;
import io.tidemark.broker.drill.plan.Drill;
import io.tidemark.broker.drill.plan.Measure;
import io.tidemark.broker.drill.plan.Step;
import io.tidemark.broker.drill.report.DrillOutcome;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Runs one drill on a cluster: load, faults in time, healing, and the reckoning. */
final class DrillRun {
    private static final int SETTLE_S = 90;

    private final Drill drill;
    private final DrillCluster cluster;
    private final Consumer<String> out;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<Measure, Long> found = new EnumMap<>(Measure.class);
    private final Map<Measure, List<String>> examples = new EnumMap<>(Measure.class);
    /** Topics that are there, or may be, by this drill's doing. */
    private final Set<String> made = ConcurrentHashMap.newKeySet();

    private long startMs;
    private long endMs;

    /** @param out takes a line about each step */
    DrillRun(Drill drill, DrillCluster cluster, Consumer<String> out) {
        this.drill = drill;
        this.cluster = cluster;
        this.out = out;
        for (TopicPlan topic : drill.cluster().topics()) {
            for (int partition = 0; partition < topic.assignment().size(); partition++) {
                partitions.add(new TopicPartition(topic.name(), partition));
            }
        }
    }

    /** Throws DrillException if not even the load could be started. */
    DrillOutcome run() {
        startMs = System.currentTimeMillis();
        try (Admins admins = new Admins(cluster.bootstrap());
                Sampler sampler = new Sampler(cluster.bootstrap(), partitions)) {
            admins.awaitBrokers(cluster.brokers().size());
            Load load = new Load(
                    cluster.bootstrap(), partitions, drill.workload(), "drill-" + drill.name() + "-" + startMs);
            Conditions conditions = new Conditions(cluster.bootstrap(), admins, load, partitions);
            FaultInjector injector = new FaultInjector(
                    cluster, admins, new Survival(drill.keeps(), cluster.controllers()), conditions, this::tell);
            // A cluster that the drill has made is removed by whoever gave it the directory.
            Thread repair = new Thread(() -> repair(injector, load));
            if (!cluster.isOwn()) {
                admins.refuseExisting(topics());
                Runtime.getRuntime().addShutdownHook(repair);
            }
            for (TopicPlan topic : drill.cluster().topics()) {
                admins.create(topic, cluster.isOwn(), made);
            }
            conditions.awaitAgreedFullIsr(SETTLE_S);
            sampler.start();
            try {
                load.start();
            } catch (DrillException e) {
                load.abandon();
                throw e;
            }
            startMs = System.currentTimeMillis();
            tell("the load is under way");
            boolean healed = faults(injector, conditions);
            return reckon(load, injector, sampler, () -> {
                if (injector.isClosed()) {
                    // What it made is being taken from it: whatever it found then is no verdict.
                    throw new DrillException("the drill was interrupted");
                }
                boolean clean = cluster.isOwn() || attempt("cleaning up", () -> cleanUp(admins, load));
                // Else it is tried once more in the end.
                if (healed && clean) {
                    Runtime.getRuntime().removeShutdownHook(repair);
                }
            });
        }
    }

    private List<String> topics() {
        return drill.cluster().topics().stream().map(TopicPlan::name).toList();
    }

    /** On a cluster that goes on, the drill leaves nothing. */
    private void cleanUp(Admins admins, Load load) {
        try {
            load.stopReading();
        } finally {
            try {
                admins.delete(made);
            } finally {
                admins.deleteGroups(load.groups());
            }
        }
    }

    /** For a run that has failed or is interrupted; the clients of one that has failed are closed by now. */
    private void repair(FaultInjector injector, Load load) {
        try (Admins admins = new Admins(cluster.bootstrap())) {
            for (Runnable part : List.<Runnable>of(injector::close, load::abandon, () -> cleanUp(admins, load))) {
                try {
                    part.run();
                } catch (RuntimeException e) {
                    tell("PROBLEM undoing what was done: " + e.getMessage());
                }
            }
        }
    }

    /** Returns whether all was undone. */
    private boolean faults(FaultInjector injector, Conditions conditions) {
        conditions.rememberLeaders();
        boolean done = attempt("the steps", () -> {
            for (Step step : drill.steps()) {
                waitUntil(startMs + step.atMs());
                injector.run(step);
            }
        });
        if (done) {
            // What no step has undone stands as long as the load goes on.
            waitUntil(startMs + drill.lengthMs());
        }
        boolean healed = attempt("healing", injector::heal);
        attempt("settling", () -> {
            conditions.awaitAgreedFullIsr(SETTLE_S);
            Waiting.until("acks of every partition", SETTLE_S, conditions.acks());
        });
        endMs = System.currentTimeMillis();
        return healed;
    }

    private static void waitUntil(long timeMs) {
        Waiting.seconds(Math.max(0, timeMs - System.currentTimeMillis()) / 1000.0);
    }

    /** @param cleaning done when everything has been looked at */
    private DrillOutcome reckon(Load load, FaultInjector injector, Sampler sampler, Runnable cleaning) {
        attempt("ending the load", load::finishWriting);
        tell("the load has ended; reading everything back");
        Map<TopicPartition, List<ReadRecord>> records = new HashMap<>();
        attempt("reading back", () -> records.putAll(load.readBack()));
        problems.addAll(load.failures());
        sampler.close();
        Reckoning reckoning = new Reckoning();
        Map<TopicPartition, Promises> promises = new HashMap<>();
        for (TopicPartition partition : partitions) {
            Promises of = load.promises(partition, records.getOrDefault(partition, List.of()));
            promises.put(partition, of);
            reckoning.add(of);
        }
        found.putAll(reckoning.counts());
        examples.putAll(reckoning.examples());
        found.put(Measure.DIED, (long) injector.died().size());
        List<Fault> faults = injector.faults();
        TreeMap<String, DrillOutcome.Partition> shown = new TreeMap<>();
        for (TopicPartition partition : partitions) {
            shown.put(partition.toString(), partition(load, sampler, promises.get(partition)));
        }
        found.put(Measure.CHANGES, changesUnderLoad(shown));
        measureTimes(shown, faults, injector.lastRepairMs());
        stopAndCompare(shown, records);
        List<Change> changes = outcome(shown, faults, reckoning).changes();
        found.put(
                Measure.UNEXPLAINED,
                changes.stream()
                        .filter(change -> Explanation.of(change, faults).isEmpty())
                        .count());
        cleaning.run();
        return outcome(shown, faults, reckoning);
    }

    /** As far as it has been found out. */
    private DrillOutcome outcome(
            TreeMap<String, DrillOutcome.Partition> shown, List<Fault> faults, Reckoning reckoning) {
        return new DrillOutcome(
                drill,
                cluster.isKafka(),
                startMs,
                endMs,
                faults,
                shown,
                found,
                examples,
                problems,
                notes,
                reckoning.acked(),
                reckoning.ackedOne());
    }

    private DrillOutcome.Partition partition(Load load, Sampler sampler, Promises promises) {
        TopicPartition id = promises.partition();
        List<Change> changes = new ArrayList<>();
        if (cluster.isKafka()) {
            changes.addAll(seen(sampler, id));
        } else {
            attempt("reading the metadata log", () -> changes.addAll(new MetadataLog(cluster).changes(id)));
        }
        long[] ackMs = promises.ledgers().stream()
                .filter(ledger -> ledger.producer().promises())
                .flatMapToLong(ledger -> ledger.ackMs().values().stream().mapToLong(Long::longValue))
                .toArray();
        long until = endMs;
        if (!load.writes(id)) {
            // All was written before the end: silence after that is no outage.
            until = Math.min(endMs, java.util.Arrays.stream(ackMs).max().orElse(endMs));
        }
        return new DrillOutcome.Partition(
                id, changes, sampler.marks(id), ackMs, Availability.of(ackMs, startMs, until));
    }

    private static List<Change> seen(Sampler sampler, TopicPartition partition) {
        return sampler.changes().stream()
                .filter(change -> change.partition().equals(partition))
                .toList();
    }

    private void measureTimes(Map<String, DrillOutcome.Partition> shown, List<Fault> faults, long lastRepairMs) {
        found.put(
                Measure.UNAVAILABLE_MS,
                shown.values().stream()
                        .mapToLong(partition -> partition.availability().gapMs())
                        .max()
                        .orElse(0));
        long since = lastRepairMs > 0
                ? lastRepairMs
                : faults.stream().mapToLong(Fault::endMs).max().orElse(startMs);
        boolean full = shown.values().stream()
                .allMatch(partition -> !partition.changes().isEmpty()
                        && isFull(partition.changes().get(partition.changes().size() - 1)));
        if (full) {
            long last = shown.values().stream()
                    .flatMap(partition -> partition.changes().stream())
                    .filter(change -> isFull(change) && change.before() != null && Explanation.isNeeded(change))
                    .mapToLong(Change::timeMs)
                    .max()
                    .orElse(since);
            found.put(Measure.FULL_ISR_MS, Math.max(0, last - since));
        }
    }

    /** Not by their times: the clock of the controller that wrote them may have been the drill's. */
    private static long changesUnderLoad(Map<String, DrillOutcome.Partition> shown) {
        return shown.values().stream()
                .flatMap(partition -> partition.changes().stream())
                .filter(Explanation::isNeeded)
                .count();
    }

    private static boolean isFull(Change change) {
        return change.after().isr().size() == change.after().replicas().size();
    }

    private void stopAndCompare(
            Map<String, DrillOutcome.Partition> shown, Map<TopicPartition, List<ReadRecord>> readBack) {
        if (cluster.isOwn()) {
            tell("stopping the cluster, comparing replicas and metadata");
            attempt("stopping", cluster::down);
        } else {
            if (!drill.cluster().settings().isEmpty()) {
                notes.add("The cluster's own settings held, not those of the file.");
            }
            notes.add("The cluster goes on: its replicas were compared up to the high watermark on disk.");
        }
        attempt("comparing replicas", () -> compare(shown, readBack));
        if (cluster.isKafka()) {
            notes.add(
                    "Kafka's metadata log is not read: changes are those that a client sees ten times a second, without"
                            + " their causes.");
        } else {
            attempt("checking the metadata logs", () -> {
                List<String> damages = new MetadataLog(cluster).damages();
                found.put(Measure.METADATA_DIFFERS, damages.isEmpty() ? 0L : 1L);
                examples.put(Measure.METADATA_DIFFERS, damages);
            });
        }
    }

    private void compare(Map<String, DrillOutcome.Partition> shown, Map<TopicPartition, List<ReadRecord>> readBack) {
        ReplicaComparison comparison = new ReplicaComparison(cluster::directory);
        shown.values()
                .forEach(partition -> comparison.add(partition, readBack.getOrDefault(partition.id(), List.of())));
        comparison.count().ifPresent(count -> found.put(Measure.REPLICAS_DIFFER, count));
        examples.put(Measure.REPLICAS_DIFFER, comparison.differences());
        notes.addAll(comparison.notes());
        problems.addAll(comparison.problems());
    }

    /** What fails becomes a problem of the drill; the rest goes on, so that there is a verdict. */
    private boolean attempt(String what, Runnable work) {
        try {
            work.run();
            return true;
        } catch (DrillException | KafkaException | UncheckedIOException e) {
            String problem = what + ": " + e.getMessage();
            problems.add(problem);
            tell("PROBLEM " + problem);
            return false;
        }
    }

    private void tell(String line) {
        out.accept(String.format(
                java.util.Locale.ROOT, "[%6.1f s] %s", (System.currentTimeMillis() - startMs) / 1000.0, line));
    }

    /** Throws DrillException, before anything is done, unless a cluster that was taken is as the drill needs it. */
    static void checkFits(Drill drill, DrillCluster cluster) {
        if (cluster.isOwn()) {
            return;
        }
        int needed = drill.cluster().brokers();
        boolean own = !drill.cluster().diskMb().isEmpty()
                || drill.cutsNetworks()
                || drill.jumpsClocks()
                || !drill.slowDisks().isEmpty()
                || drill.steps().stream().anyMatch(step -> step.action().destroys());
        if (own) {
            throw new DrillException(
                    "this drill does things to disks, networks or clocks that it has to have made itself");
        }
        Set<Integer> missing = new TreeSet<>();
        IntStream.rangeClosed(1, needed).forEach(missing::add);
        drill.steps().stream()
                .map(Step::node)
                .filter(node -> node.matches("[0-9]+"))
                .map(Integer::valueOf)
                .forEach(missing::add);
        missing.removeAll(cluster.nodes());
        if (!missing.isEmpty()) {
            throw new DrillException("this drill needs the nodes " + missing + ", which the cluster does not have");
        }
    }
}
