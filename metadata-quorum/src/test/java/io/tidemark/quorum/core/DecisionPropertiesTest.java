package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumCommand.NewTopic;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random commands, sensible and not, on one cluster after another: whatever is decided can be folded, and every fold keeps
 * the invariants. A failure names the seed of its run.
 */
class DecisionPropertiesTest {
    private static final int COMMANDS = 120;
    private static final int BROKERS = 5;

    private TestCluster c;
    private Seeded chance;

    @Property(tries = 150)
    void everyFoldKeepsTheInvariantsAndReplaysToTheSameDigest(@ForAll long seed) {
        begin(seed);
        for (int i = 0; i < COMMANDS; i++) {
            ClusterImage before = c.image;
            c.run(command());
            c.image.topics().values().forEach(topic -> topic.partitions().forEach(DecisionPropertiesTest::holds));
            before.topics().values().forEach(topic -> topic.partitions().forEach(this::onlyWentOn));
            if (!c.lastCause.kind().equals("AlterPartition")) {
                assertThat(changedPartitions()).as("R7.40").doesNotHaveDuplicates();
            }
        }
        ClusterImage replayed = ClusterImage.EMPTY;
        for (MetadataEntry entry : c.entries) {
            replayed = replayed.apply(replayed.index() + 1, entry);
        }
        assertThat(replayed.digest()).isEqualTo(c.image.digest());
    }

    /** Guards the property above against becoming one about commands that are all refused. */
    @Example
    void theCommandsReachWhatMatters() {
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = 0; seed < 50; seed++) {
            begin(seed);
            for (int i = 0; i < COMMANDS; i++) {
                ClusterImage before = c.image;
                c.run(command());
                before.topics()
                        .values()
                        .forEach(topic -> topic.partitions().forEach(state -> {
                            String what = what(state, c.image.partition(state.id()));
                            seen.merge(what, 1, Integer::sum);
                        }));
            }
        }
        assertThat(seen.keySet())
                .contains("elected from the ISR", "elected from the ELR", "elected unclean", "lost its leader");
        assertThat(seen.keySet()).contains("ISR grew", "ISR shrank", "only PE", "deleted");
        assertThat(seen.values())
                .as("%s", seen)
                .allSatisfy(count -> assertThat(count).isGreaterThan(10));
    }

    private static String what(PartitionState before, PartitionState after) {
        if (after == null) {
            return "deleted";
        } else if (after.leader() != before.leader()) {
            if (!after.hasLeader()) {
                return "lost its leader";
            }
            return before.isr().contains(after.leader())
                    ? "elected from the ISR"
                    : before.elr().contains(after.leader()) ? "elected from the ELR" : "elected unclean";
        } else if (after.isr().size() != before.isr().size()) {
            return after.isr().size() > before.isr().size() ? "ISR grew" : "ISR shrank";
        }
        return after.partitionEpoch() > before.partitionEpoch() ? "only PE" : "nothing";
    }

    private void begin(long seed) {
        chance = new Seeded(seed);
        c = TestCluster.bootstrapped(Map.of("min.insync.replicas", "" + (1 + chance.below(3))));
        for (int id = 1; id < BROKERS; id++) {
            c.start(id);
        }
    }

    /** I5, I11, B2, B21, and that only the active are in an ISR. */
    private static void holds(PartitionState state) {
        Set<Integer> seats = new HashSet<>(state.isr());
        seats.addAll(state.elr());
        assertThat(seats)
                .as("I5: %s", state)
                .hasSize(state.isr().size() + state.elr().size());
        assertThat(state.replicas()).as("B2: %s", state).containsAll(seats);
        if (state.hasLeader()) {
            assertThat(state.isr()).as("I11: %s", state).contains(state.leader());
            assertThat(state.lastKnownElr()).as("R7.44: %s", state).isEmpty();
        }
        if (state.reassigning()) {
            assertThat(state.replicas()).as("R7.60: %s", state).containsAll(state.adding());
            assertThat(state.replicas()).as("R7.60: %s", state).containsAll(state.removing());
            assertThat(state.isr().containsAll(state.adding())
                            && state.adding().size() >= state.removing().size()
                            && !state.removing().containsAll(state.isr())
                            && !state.recovering())
                    .as("R7.63, it is not over: %s adding %s", state, state.adding())
                    .isFalse();
        }
        if (!state.underMinIsr()) {
            assertThat(state.elr())
                    .as("B21: %s, min ISR %d", state, state.minIsr())
                    .isEmpty();
        }
    }

    /** I6, I7, and that a leader changes only with LE. */
    private void onlyWentOn(PartitionState before) {
        PartitionState after = c.image.partition(before.id());
        if (after == null) {
            return;
        }
        assertThat(after.leaderEpoch()).isGreaterThanOrEqualTo(before.leaderEpoch());
        assertThat(after.partitionEpoch()).isGreaterThanOrEqualTo(before.partitionEpoch());
        if (after.leaderEpoch() == before.leaderEpoch()) {
            assertThat(after.leader()).as("I7: %s -> %s", before, after).isEqualTo(before.leader());
        }
        if (after.partitionEpoch() == before.partitionEpoch()) {
            assertThat(after.toString()).isEqualTo(before.toString());
        }
        for (int member : after.isr()) {
            assertThat(c.image.broker(member).active()).as("ISR of %s", after).isTrue();
        }
        if (before.hasLeader() && after.hasLeader() && after.leader() != before.leader() && !after.recovering()) {
            boolean joined = c.lastCause.kind().equals("AlterPartition")
                    && !after.replicas().contains(before.leader());
            assertThat(joined
                            || before.isr().contains(after.leader())
                            || before.elr().contains(after.leader()))
                    .as("a clean election: %s -> %s", before, after)
                    .isTrue();
        }
    }

    private List<PartitionId> changedPartitions() {
        return c.lastRecords.stream()
                .filter(PartitionChanged.class::isInstance)
                .map(record -> ((PartitionChanged) record).id())
                .toList();
    }

    private QuorumCommand command() {
        switch (chance.below(20)) {
            case 0:
                return registration();
            case 1:
            case 2:
            case 3:
            case 4:
                return new QuorumCommand.UnfenceBroker(someRef());
            case 5:
                List<BrokerRef> refs = new ArrayList<>();
                for (int i = chance.below(3); i >= 0; i--) {
                    refs.add(someRef());
                }
                return new QuorumCommand.FenceBrokers(refs, "");
            case 6:
                return chance.below(3) == 0 ? new QuorumCommand.ShutDownBroker(someRef()) : registration();
            case 7:
            case 8:
                return creation();
            case 9:
                return chance.below(4) > 0
                        ? new QuorumCommand.CreatePartitions(
                                List.of(new QuorumCommand.Growth(name(), chance.below(6), List.of())), false, "")
                        : new QuorumCommand.DeleteTopics(List.of(new QuorumCommand.TopicRef(name(), TopicId.ZERO)), "");
            case 10:
                return chance.below(2) == 0
                        ? new QuorumCommand.AllocateProducerIds(broker(), c.epoch(1))
                        : new QuorumCommand.BalanceLeaders(
                                chance.below(2) == 0
                                        ? QuorumCommand.BalanceLeaders.Balance.PREFERRED
                                        : QuorumCommand.BalanceLeaders.Balance.UNCLEAN);
            case 11:
            case 12:
                return reassignment();
            default:
                return alteration();
        }
    }

    private QuorumCommand reassignment() {
        List<QuorumCommand.Reassignment> rows = new ArrayList<>();
        for (TopicState topic : c.image.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                List<Integer> target = new ArrayList<>();
                for (int i = chance.below(4); i >= 0; i--) {
                    target.add(broker());
                }
                if (chance.below(3) == 0) {
                    rows.add(new QuorumCommand.Reassignment(state.id(), chance.below(4) == 0 ? null : target));
                }
            }
        }
        return new QuorumCommand.AlterReassignments(rows, chance.below(4) > 0, "");
    }

    private int broker() {
        return 1 + chance.below(BROKERS);
    }

    private String name() {
        return "topic-" + chance.below(4);
    }

    private BrokerRef someRef() {
        int id = broker();
        return new BrokerRef(id, c.epoch(id) - (chance.below(8) == 0 ? 1 : 0));
    }

    private QuorumCommand registration() {
        int id = broker();
        BrokerState old = c.image.broker(id);
        String boot = old != null && chance.below(2) == 0 ? old.bootEvidence() : "boot-" + chance.below(1000);
        return TestCluster.registration(
                id,
                "incarnation-" + chance.below(1000),
                List.of(chance.below(10) == 0 ? "dir-" + broker() : "dir-" + id),
                chance.below(2) == 0 ? c.epoch(id) : -1,
                boot,
                chance.below(3) > 0);
    }

    private QuorumCommand creation() {
        List<List<Integer>> assignment = new ArrayList<>();
        if (chance.below(2) == 0) {
            List<Integer> replicas = new ArrayList<>();
            for (int i = chance.below(4); i >= 0; i--) {
                replicas.add(broker());
            }
            assignment.add(replicas);
        }
        boolean assigned = !assignment.isEmpty();
        Map<String, String> configs = Map.of(
                "min.insync.replicas", "" + (chance.below(8) == 0 ? 0 : 1 + chance.below(3)),
                "unclean.leader.election.enable", "" + (chance.below(2) == 0));
        return new QuorumCommand.CreateTopics(
                List.of(new NewTopic(
                        name(), assigned ? -1 : chance.below(4), assigned ? -1 : chance.below(5), assignment, configs)),
                false,
                "");
    }

    /** Mostly what a leader could really propose, sometimes anything. */
    private QuorumCommand alteration() {
        List<PartitionState> all = new ArrayList<>();
        for (TopicState topic : c.image.topics().values()) {
            topic.partitions().forEach(all::add);
        }
        int sender = broker();
        List<IsrProposal> proposals = new ArrayList<>();
        for (int i = chance.below(2); i >= 0 && !all.isEmpty(); i--) {
            PartitionState state = all.get(chance.below(all.size()));
            sender = state.hasLeader() && chance.below(8) > 0 ? state.leader() : sender;
            proposals.add(proposal(state));
        }
        return new QuorumCommand.AlterPartition(sender, c.epoch(sender), proposals);
    }

    private IsrProposal proposal(PartitionState state) {
        List<IsrMember> isr = new ArrayList<>();
        for (int replica : state.replicas()) {
            boolean wanted = replica == state.leader() ? chance.below(10) > 0 : chance.below(2) == 0;
            if (wanted) {
                isr.add(new IsrMember(replica, chance.below(4) == 0 ? -1 : c.epoch(replica)));
            }
        }
        if (chance.below(10) == 0) {
            isr.add(new IsrMember(broker(), -1));
        }
        return new IsrProposal(
                state.id(),
                state.leaderEpoch() + (chance.below(10) == 0 ? chance.below(3) - 1 : 0),
                state.partitionEpoch() + (chance.below(10) == 0 ? chance.below(3) - 1 : 0),
                isr,
                chance.below(10) == 0,
                IsrProposal.Kind.values()[chance.below(6) == 0 ? 1 + chance.below(2) : 0],
                Floor.NONE,
                "");
    }
}
