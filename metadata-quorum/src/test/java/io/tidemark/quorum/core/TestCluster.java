package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A cluster that consists of its metadata: commands are decided on the image and folded into it, as entries that always
 * take effect. Topic "t" with partition 0 is the one that scenarios talk about.
 */
final class TestCluster {
    static final String CLUSTER_ID = "test-cluster";
    static final ControllerSettings SETTINGS = new ControllerSettings(CLUSTER_ID, 1, 1);

    /** How a broker comes back. */
    enum Return {
        CLEAN,
        SAME_BOOT,
        UNCLEAN
    }

    ClusterImage image = ClusterImage.EMPTY;
    /** The records of the last command. */
    List<MetadataRecord> lastRecords = List.of();

    MetadataEntry.Cause lastCause;
    final List<MetadataEntry> entries = new ArrayList<>();
    final Set<Integer> liveSessions = new HashSet<>();
    /** Brokers whose registered incarnation answers on the controller's connection. */
    final Set<Integer> answering = new HashSet<>();

    /** Partitions that were given another leader a moment ago. */
    final Set<PartitionId> movedLately = new HashSet<>();

    ControllerSettings settings = SETTINGS;

    private final Map<Integer, Integer> incarnations = new HashMap<>();
    private long random = 1;

    static TestCluster bootstrapped(Map<String, String> configs) {
        TestCluster cluster = new TestCluster();
        cluster.run(new QuorumCommand.Bootstrap(1, configs));
        return cluster;
    }

    /** Brokers 1..n active, topic "t" with one partition on all of them, that min ISR and unclean election setting. */
    static TestCluster baseline(int brokers, int minIsr, boolean unclean) {
        TestCluster cluster = bootstrapped(Map.of());
        List<Integer> replicas = new ArrayList<>();
        for (int id = 1; id <= brokers; id++) {
            cluster.start(id);
            replicas.add(id);
        }
        cluster.createTopic(
                "t",
                List.of(replicas),
                Map.of("min.insync.replicas", "" + minIsr, "unclean.leader.election.enable", "" + unclean));
        return cluster;
    }

    QuorumReply run(QuorumCommand command) {
        Decision decision = decide(command);
        MetadataEntry entry = new MetadataEntry(
                image.tip(), image.index() + 1, decision.cause(), decision.records(), decision.reply());
        fold(entry);
        lastCause = decision.cause();
        return decision.reply();
    }

    Decision decide(QuorumCommand command) {
        return Controller.decide(image, command, context());
    }

    DecideContext context() {
        return new DecideContext(
                new WallTime(0),
                new MonoTime(0),
                random++,
                liveSessions::contains,
                answering::contains,
                movedLately::contains,
                settings);
    }

    void fold(MetadataEntry entry) {
        image = image.apply(image.index() + 1, entry);
        lastRecords = entry.records();
        entries.add(entry);
    }

    void setTopicConfig(String topic, String key, String value) {
        fold(new MetadataEntry(
                image.tip(),
                0,
                Causes.controller("test", ""),
                List.of(new MetadataRecord.ConfigSet(ConfigResource.topic(topic), key, value)),
                new QuorumReply.Done()));
    }

    void createTopic(String name, List<List<Integer>> assignment, Map<String, String> configs) {
        QuorumReply reply = run(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic(name, -1, -1, assignment, configs)), false, "test"));
        assertThat(((QuorumReply.Topics) reply).results().get(0).error()).isEqualTo(ErrorCode.NONE);
    }

    // ---- brokers ----

    /** A first registration, and unfenced. */
    void start(int id) {
        assertThat(register(id, Return.UNCLEAN)).isInstanceOf(QuorumReply.Registered.class);
        unfence(id);
    }

    QuorumReply register(int id, Return how) {
        return run(returning(id, how));
    }

    /** What a new incarnation asks for. */
    QuorumCommand.RegisterBroker returning(int id, Return how) {
        incarnations.merge(id, 1, Integer::sum);
        return registration(id, how);
    }

    QuorumCommand.RegisterBroker registration(int id, Return how) {
        int incarnation = incarnations.getOrDefault(id, 0);
        String boot = how == Return.UNCLEAN ? "boot-" + id + "-" + incarnation : bootEvidence(id);
        return registration(
                id,
                "incarnation-" + id + "-" + incarnation,
                List.of("dir-" + id),
                how == Return.CLEAN ? epoch(id) : -1,
                boot,
                true);
    }

    static QuorumCommand.RegisterBroker registration(
            int id, String incarnation, List<String> dirs, long previousEpoch, String boot, boolean nothingCut) {
        return new QuorumCommand.RegisterBroker(
                CLUSTER_ID,
                id,
                incarnation,
                dirs,
                List.of(new Endpoint("PLAINTEXT", "localhost", 9000 + id)),
                "",
                previousEpoch,
                boot,
                nothingCut,
                1,
                1,
                List.of());
    }

    /** A new incarnation, fenced still, that says this of its log of topic "t"; {@code epochs} as {@link EpochHistory#of}. */
    void register(int id, Return how, long logEnd, long... epochs) {
        incarnations.merge(id, 1, Integer::sum);
        QuorumCommand.RegisterBroker plain = registration(id, how);
        SeatReport report = new SeatReport(id, partition(), 0, logEnd, EpochHistory.of(epochs));
        assertThat(run(with(plain, List.of(report)))).isInstanceOf(QuorumReply.Registered.class);
    }

    /** The same, and unfenced. */
    void comeBack(int id, Return how, long logEnd, long... epochs) {
        register(id, how, logEnd, epochs);
        unfence(id);
    }

    static QuorumCommand.RegisterBroker with(QuorumCommand.RegisterBroker plain, List<SeatReport> reports) {
        return new QuorumCommand.RegisterBroker(
                plain.clusterId(),
                plain.brokerId(),
                plain.incarnationId(),
                plain.directoryIds(),
                plain.endpoints(),
                plain.rack(),
                plain.previousBrokerEpoch(),
                plain.bootEvidence(),
                plain.nothingCut(),
                plain.minLevel(),
                plain.maxLevel(),
                reports);
    }

    /** A new incarnation, and unfenced. */
    void comeBack(int id, Return how) {
        assertThat(register(id, how)).isInstanceOf(QuorumReply.Registered.class);
        unfence(id);
    }

    void unfence(int id) {
        assertThat(run(new QuorumCommand.UnfenceBroker(ref(id)))).isEqualTo(new QuorumReply.Done());
    }

    void fence(Integer... ids) {
        List<BrokerRef> refs = Arrays.stream(ids).map(this::ref).toList();
        assertThat(run(new QuorumCommand.FenceBrokers(refs, "session ran out"))).isEqualTo(new QuorumReply.Done());
    }

    void shutDown(int id) {
        assertThat(run(new QuorumCommand.ShutDownBroker(ref(id)))).isEqualTo(new QuorumReply.Done());
    }

    BrokerRef ref(int id) {
        return new BrokerRef(id, epoch(id));
    }

    long epoch(int id) {
        BrokerState broker = image.broker(id);
        return broker == null ? -1 : broker.epoch();
    }

    private String bootEvidence(int id) {
        BrokerState broker = image.broker(id);
        return broker == null ? "boot-" + id : broker.bootEvidence();
    }

    // ---- the partition ----

    PartitionState state() {
        return image.topic("t").partition(0);
    }

    /** Its M{...}. */
    String m() {
        return state().toString();
    }

    PartitionId partition() {
        return state().id();
    }

    /** The leader proposes that ISR with the epochs that it knows, and as of the registered broker epochs. */
    ErrorCode alter(int leader, int leaderEpoch, int partitionEpoch, Integer... isr) {
        List<IsrMember> members =
                Arrays.stream(isr).map(id -> new IsrMember(id, epoch(id))).toList();
        return propose(leader, leaderEpoch, partitionEpoch, members, IsrProposal.Kind.CHANGE);
    }

    ErrorCode propose(int leader, int leaderEpoch, int partitionEpoch, List<IsrMember> isr, IsrProposal.Kind kind) {
        return propose(
                        leader,
                        new IsrProposal(
                                partition(), leaderEpoch, partitionEpoch, isr, false, kind, Floor.NONE, "a reason"))
                .error();
    }

    /** The leader proposes that ISR in the present LE and PE, and says that floor. */
    ErrorCode alter(Floor floor, Integer... isr) {
        return propose(floor, IsrProposal.Kind.CHANGE, state().partitionEpoch(), isr);
    }

    /** The leader reports that floor in the present LE and PE. */
    ErrorCode report(Floor floor) {
        return report(floor, state().partitionEpoch());
    }

    ErrorCode report(Floor floor, int partitionEpoch) {
        return propose(
                floor, IsrProposal.Kind.REPORT, partitionEpoch, state().isr().toArray(Integer[]::new));
    }

    private ErrorCode propose(Floor floor, IsrProposal.Kind kind, int partitionEpoch, Integer... isr) {
        List<IsrMember> members =
                Arrays.stream(isr).map(id -> new IsrMember(id, epoch(id))).toList();
        return propose(
                        state().leader(),
                        new IsrProposal(
                                partition(),
                                state().leaderEpoch(),
                                partitionEpoch,
                                members,
                                false,
                                kind,
                                floor,
                                "a reason"))
                .error();
    }

    QuorumReply.AlteredPartitions.Result propose(int leader, IsrProposal proposal) {
        QuorumReply reply = run(new QuorumCommand.AlterPartition(leader, epoch(leader), List.of(proposal)));
        return ((QuorumReply.AlteredPartitions) reply).results().get(0);
    }

    /** @param target null to cancel */
    ErrorCode reassign(String topic, int partition, List<Integer> target) {
        PartitionId id = new PartitionId(topicId(topic), partition);
        QuorumReply reply = run(new QuorumCommand.AlterReassignments(
                List.of(new QuorumCommand.Reassignment(id, target)), true, "test"));
        return ((QuorumReply.Rows) reply).rows().get(0).error();
    }

    TopicId topicId(String name) {
        return image.topic(name).id();
    }

    /** A topic of which every partition is led by the second of its replicas: by 2, the first is 1. */
    void manyLedByTheSecond(int partitions) {
        createTopic("many", Collections.nCopies(partitions, List.of(2, 1, 3)), Map.of());
        run(new QuorumCommand.AlterReassignments(
                image.topic("many").partitions().stream()
                        .map(state -> new QuorumCommand.Reassignment(state.id(), List.of(1, 2, 3)))
                        .toList(),
                true,
                ""));
    }
}
