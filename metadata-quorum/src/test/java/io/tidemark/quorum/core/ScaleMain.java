package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Measures the controllers' core with very large clusters: the image's memory, the fence of a broker, folding, snapshots,
 * replay, and the decision with its encoding of every kind of command. Replication factor 3, leaders and copies spread
 * evenly. scripts/scale.sh starts it.
 */
public final class ScaleMain {
    private static final int ROUNDS = 25;
    private static final int PARTITIONS_PER_TOPIC = 1000;

    private final TestCluster cluster;
    private final int brokers;

    private ScaleMain(int brokers, int partitions) {
        this.brokers = brokers;
        this.cluster = TestCluster.bootstrapped(Map.of());
        for (int id = 1; id <= brokers; id++) {
            cluster.start(id);
        }
        for (int topic = 0; topic < partitions / PARTITIONS_PER_TOPIC; topic++) {
            cluster.createTopic("topic-" + topic, assignment(topic), Map.of("min.insync.replicas", "2"));
            cluster.entries.clear();
        }
    }

    /** Arguments: brokers, partitions for the image, and partitions for the single commands. */
    public static void main(String[] arguments) {
        int brokers = Integer.parseInt(arguments[0]);
        long before = usedMegabytes();
        ScaleMain large = new ScaleMain(brokers, Integer.parseInt(arguments[1]));
        tell("partitions", Integer.parseInt(arguments[1]), "on " + brokers + " brokers");
        tell("memory of the image", usedMegabytes() - before, "MB, after a collection");
        large.fences();
        large.folds();
        large.snapshots();
        ScaleMain small = new ScaleMain(brokers, Integer.parseInt(arguments[2]));
        large = null;
        tell("partitions", Integer.parseInt(arguments[2]), "on " + brokers + " brokers");
        small.commands();
    }

    /** Partition {@code i} of every topic is on brokers i, i + 1, i + 2, shifted from topic to topic. */
    private List<List<Integer>> assignment(int topic) {
        List<List<Integer>> assignment = new ArrayList<>();
        for (int i = 0; i < PARTITIONS_PER_TOPIC; i++) {
            int first = (i + topic * 7) % brokers;
            assignment.add(List.of(first + 1, (first + 1) % brokers + 1, (first + 2) % brokers + 1));
        }
        return assignment;
    }

    private void fences() {
        ClusterImage image = cluster.image;
        int held = 0;
        for (PartitionId ignored : image.partitionsOf(1)) {
            held++;
        }
        double[] deciding = new double[ROUNDS];
        double[] folding = new double[ROUNDS];
        double[] encoding = new double[ROUNDS];
        double[] whole = new double[ROUNDS];
        int records = 0;
        int bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            // Another broker each time, far from the last one.
            QuorumCommand command = new QuorumCommand.FenceBrokers(
                    List.of(cluster.ref(1 + round * (brokers / ROUNDS))), "session ran out");
            long start = System.nanoTime();
            MetadataEntry entry = entry(image, Controller.decide(image, command, cluster.context()));
            long decided = System.nanoTime();
            image.apply(image.index() + 1, entry);
            long folded = System.nanoTime();
            bytes = RecordCodec.encode(entry).length;
            long encoded = System.nanoTime();
            deciding[round] = (decided - start) / 1e6;
            folding[round] = (folded - decided) / 1e6;
            encoding[round] = (encoded - folded) / 1e6;
            whole[round] = (encoded - start) / 1e6;
            records = entry.records().size();
        }
        tell(
                "fence a broker: decide, fold, encode",
                median(whole),
                "ms median of " + ROUNDS + " brokers, the first in a new process " + text(whole[0]));
        tell("  it holds " + held + ": " + records + " records", bytes, "bytes");
        tell("  decide", median(deciding), "ms, the first " + text(deciding[0]));
        tell("  fold", median(folding), "ms, the first " + text(folding[0]));
        tell("  encode", median(encoding), "ms, the first " + text(encoding[0]));
    }

    /** Entries of one partition change each: a follower leaves and comes back, partition after partition. */
    private void folds() {
        List<byte[]> entries = new ArrayList<>();
        ClusterImage end = cluster.image;
        for (int topic = 0; entries.size() < 200_000; topic = (topic + 1) % 200) {
            for (PartitionState state : end.topic("topic-" + topic).partitions()) {
                int leader = state.leader();
                List<IsrMember> isr = state.isr().size() == 3
                        ? members(end, List.of(leader, state.replicas().get(1)))
                        : members(end, state.replicas());
                IsrProposal proposal = new IsrProposal(
                        state.id(),
                        state.leaderEpoch(),
                        state.partitionEpoch(),
                        isr,
                        false,
                        IsrProposal.Kind.CHANGE,
                        Floor.NONE,
                        "fell behind");
                QuorumCommand command = new QuorumCommand.AlterPartition(
                        leader, end.broker(leader).epoch(), List.of(proposal));
                MetadataEntry entry = entry(end, Controller.decide(end, command, cluster.context()));
                require(!entry.records().isEmpty(), "the ISR was changed");
                entries.add(RecordCodec.encode(entry));
                end = end.apply(end.index() + 1, entry);
            }
        }
        List<MetadataEntry> decoded = new ArrayList<>();
        long start = System.nanoTime();
        for (byte[] bytes : entries) {
            decoded.add(RecordCodec.decode(bytes));
        }
        double decoding = (System.nanoTime() - start) / 1e9;
        ClusterImage image = cluster.image;
        start = System.nanoTime();
        for (MetadataEntry entry : decoded) {
            image = image.apply(image.index() + 1, entry);
        }
        double folding = (System.nanoTime() - start) / 1e9;
        require(image.digest() == end.digest(), "the same state came out");
        tell("partition changes folded, one an entry", entries.size() / folding, "a second");
        tell("replay, decode and fold", entries.size() / (decoding + folding), "entries a second");
        long inOne = end.index();
        MetadataEntry whole = new MetadataEntry(
                cluster.image.tip(),
                0,
                Causes.controller("test", ""),
                decoded.stream().flatMap(entry -> entry.records().stream()).toList(),
                decoded.get(0).reply());
        start = System.nanoTime();
        ClusterImage together = cluster.image.apply(inOne, whole);
        tell(
                "partition changes folded, all in one entry",
                entries.size() / ((System.nanoTime() - start) / 1e9),
                "a second");
        require(together.index() == inOne, "it was folded");
    }

    private static List<IsrMember> members(ClusterImage image, List<Integer> ids) {
        return ids.stream()
                .map(id -> new IsrMember(id, image.broker(id).epoch()))
                .toList();
    }

    private void snapshots() {
        long start = System.nanoTime();
        byte[] bytes = SnapshotCodec.encode(cluster.image);
        double encoding = (System.nanoTime() - start) / 1e9;
        start = System.nanoTime();
        ClusterImage read = SnapshotCodec.decode(bytes);
        double decoding = (System.nanoTime() - start) / 1e9;
        require(read.digest() == cluster.image.digest(), "the same state was read");
        tell("snapshot", bytes.length / 1e6, "MB");
        tell("written in", encoding, "s");
        tell("read in", decoding, "s");
    }

    private void commands() {
        ClusterImage image = cluster.image;
        TopicState topic = image.topic("topic-0");
        PartitionState first = topic.partition(0);
        Map<String, Supplier<QuorumCommand>> commands = new LinkedHashMap<>();
        commands.put("FenceBrokers", () -> new QuorumCommand.FenceBrokers(List.of(cluster.ref(1)), "session ran out"));
        commands.put("ShutDownBroker", () -> new QuorumCommand.ShutDownBroker(cluster.ref(1)));
        commands.put("RegisterBroker, unclean", () -> {
            String boot = "boot-" + System.nanoTime();
            return TestCluster.registration(1, boot, List.of("dir-1"), -1, boot, true);
        });
        commands.put(
                "AlterPartition",
                () -> new QuorumCommand.AlterPartition(
                        first.leader(),
                        cluster.epoch(first.leader()),
                        List.of(new IsrProposal(
                                first.id(),
                                first.leaderEpoch(),
                                first.partitionEpoch(),
                                members(image, first.replicas().subList(0, 2)),
                                false,
                                IsrProposal.Kind.CHANGE,
                                Floor.NONE,
                                "fell behind"))));
        commands.put(
                "CreateTopics, 1,000 partitions",
                () -> new QuorumCommand.CreateTopics(
                        List.of(new QuorumCommand.NewTopic("new", 1000, 3, List.of(), Map.of())), false, ""));
        commands.put(
                "DeleteTopics, 1,000 partitions",
                () -> new QuorumCommand.DeleteTopics(List.of(new QuorumCommand.TopicRef("topic-0", topic.id())), ""));
        commands.put(
                "CreatePartitions, one more",
                () -> new QuorumCommand.CreatePartitions(
                        List.of(new QuorumCommand.Growth("topic-0", PARTITIONS_PER_TOPIC + 1, List.of())), false, ""));
        commands.put("AlterConfigs, a topic's min ISR", () -> minIsr(ConfigResource.topic("topic-0")));
        commands.put("AlterConfigs, the cluster's min ISR", () -> minIsr(ConfigResource.CLUSTER_DEFAULT));
        commands.put(
                "AlterReassignments, 1,000",
                () -> new QuorumCommand.AlterReassignments(
                        topic.partitions().stream()
                                .map(state -> new QuorumCommand.Reassignment(
                                        state.id(), List.of(brokers, brokers - 1, brokers - 2)))
                                .toList(),
                        true,
                        ""));
        commands.put(
                "ElectLeaders, 1,000",
                () -> new QuorumCommand.ElectLeaders(
                        topic.partitions().stream().map(PartitionState::id).toList(), false, ""));
        commands.put(
                "BalanceLeaders",
                () -> new QuorumCommand.BalanceLeaders(QuorumCommand.BalanceLeaders.Balance.PREFERRED));
        commands.put("UnregisterBroker", () -> new QuorumCommand.UnregisterBroker(1, ""));
        commands.forEach((name, command) -> measure(name, image, command));
        cluster.run(new QuorumCommand.FenceBrokers(
                image.brokers().keySet().stream().map(cluster::ref).toList(), "session ran out"));
        FenceRemainder rest = new FenceRemainder();
        rest.activate(cluster.image);
        for (Optional<QuorumCommand.FenceBrokers> more = rest.due(cluster.image);
                more.isPresent();
                more = rest.due(cluster.image)) {
            cluster.run(more.get());
        }
        measure(
                "UnfenceBroker, the first of a cluster",
                cluster.image,
                () -> new QuorumCommand.UnfenceBroker(cluster.ref(1)));
    }

    private void measure(String name, ClusterImage image, Supplier<QuorumCommand> command) {
        double[] millis = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            QuorumCommand asked = command.get();
            long start = System.nanoTime();
            RecordCodec.encode(entry(image, Controller.decide(image, asked, cluster.context())));
            millis[round] = (System.nanoTime() - start) / 1e6;
        }
        double once = millis[0];
        tell(name + ": decide, encode", median(millis), "ms median of " + ROUNDS + ", the first " + text(once));
    }

    private static QuorumCommand minIsr(ConfigResource resource) {
        ConfigEdit edit = new ConfigEdit(ConfigEdit.Kind.SET, ClusterImage.MIN_ISR_KEY, "1");
        return new QuorumCommand.AlterConfigs(List.of(new ConfigChange(resource, false, List.of(edit))), false, "");
    }

    private static MetadataEntry entry(ClusterImage image, Decision decision) {
        return new MetadataEntry(
                image.tip(), image.index() + 1, decision.cause(), decision.records(), decision.reply());
    }

    /** Sorts what it is given. */
    private static double median(double[] values) {
        double[] sorted = Arrays.copyOf(values, values.length);
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static long usedMegabytes() {
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        return (runtime.totalMemory() - runtime.freeMemory()) / 1_000_000;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what + ": it is not so");
        }
    }

    private static String text(double value) {
        return value >= 1000 ? String.format(Locale.ROOT, "%,.0f", value) : String.format(Locale.ROOT, "%.2f", value);
    }

    private static void tell(String what, double value, String unit) {
        System.out.printf(Locale.ROOT, "%-52s %14s %s%n", what, text(value), unit);
    }
}
