package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The scenarios of min ISR changes, reassignments and disks, by their numbers; S19 and S26 are in {@link TrapsTest}. */
class ReassignmentScenarioTest {
    private final TestCluster c = TestCluster.baseline(3, 2, false);

    private void reassign(Integer... target) {
        assertThat(c.reassign("t", 0, List.of(target))).isEqualTo(ErrorCode.NONE);
    }

    private void is(String state) {
        assertThat(SideBySide.view(c.state())).hasToString(state);
    }

    /** The leader, below min, says what can have been exposed; PE counts it (B1). */
    private void report(int leader, int leaderEpoch, int partitionEpoch) {
        List<IsrMember> isr =
                c.state().isr().stream().map(id -> new IsrMember(id, -1)).toList();
        IsrProposal proposal = new IsrProposal(
                c.partition(),
                leaderEpoch,
                partitionEpoch,
                isr,
                false,
                IsrProposal.Kind.REPORT,
                Floor.known(100, 0, true),
                "");
        assertThat(c.propose(leader, proposal).error()).isEqualTo(ErrorCode.NONE);
    }

    @Test
    void s16MinIsrRaised() {
        assertThat(c.alter(1, 0, 0, 1, 2)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=1 R=[1, 2, 3] ISR=[1, 2] ELR=[] LKE=[]}");
        c.setTopicConfig("t", "min.insync.replicas", "3");
        is("M{L=1 LE=0 PE=2 R=[1, 2, 3] ISR=[1, 2] ELR=[] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        report(1, 0, 2);
        is("M{L=1 LE=0 PE=3 R=[1, 2, 3] ISR=[1, 2] ELR=[] LKE=[]}");
        c.fence(2);
        is("M{L=1 LE=0 PE=4 R=[1, 2, 3] ISR=[1] ELR=[2] LKE=[]}");
        assertThat(c.alter(1, 0, 4, 1, 3)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=5 R=[1, 2, 3] ISR=[1, 3] ELR=[2] LKE=[]}");
    }

    @Test
    void s17MinIsrLowered() {
        c.fence(3);
        c.fence(2);
        is("M{L=1 LE=0 PE=2 R=[1, 2, 3] ISR=[1] ELR=[2] LKE=[]}");
        c.setTopicConfig("t", "min.insync.replicas", "1");
        is("M{L=1 LE=0 PE=3 R=[1, 2, 3] ISR=[1] ELR=[] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
        c.fence(1);
        is("M{L=-1 LE=1 PE=4 R=[1, 2, 3] ISR=[] ELR=[1] LKE=[1]}");
        c.comeBack(2, Return.CLEAN);
        is("M{L=-1 LE=1 PE=4 R=[1, 2, 3] ISR=[] ELR=[1] LKE=[1]}");
    }

    @Test
    void s18AnUnrelatedDeadReplicaDoesNotKeepAReassignmentFromEnding() {
        c.start(4);
        c.fence(3);
        is("M{L=1 LE=0 PE=1 R=[1, 2, 3] ISR=[1, 2] ELR=[] LKE=[]}");
        reassign(1, 3, 4);
        is("M{L=1 LE=0 PE=2 R=[1, 3, 4, 2] adding=[4] removing=[2] ISR=[1, 2] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 2, 1, 2, 4)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=1 PE=3 R=[1, 3, 4] ISR=[1, 4] ELR=[] LKE=[]}");
    }

    @Test
    void s18bTheLeaderIsAmongThoseThatLeave() {
        c.start(4);
        reassign(4);
        is("M{L=1 LE=0 PE=1 R=[4, 1, 2, 3] adding=[4] removing=[1, 2, 3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 1, 1, 2, 3, 4)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        is("M{L=4 LE=1 PE=2 R=[4] ISR=[4] ELR=[] LKE=[]}");
        assertThat(c.image.partitionsOf(1)).isEmpty();
        assertThat(c.image.partitionsOf(4)).containsExactly(c.partition());
    }

    @Test
    void s18cTheLeaderDiesBeforeTheNewOneJoined() {
        c.start(4);
        c.fence(3);
        reassign(1, 3, 4);
        c.fence(1);
        is("M{L=2 LE=1 PE=3 R=[1, 3, 4, 2] adding=[4] removing=[2] ISR=[2] ELR=[1] LKE=[]}");
    }

    @Test
    void s18dAReplicaThatIsBeingAddedMayLead() {
        c.start(4);
        c.start(5);
        c.fence(3);
        reassign(1, 4, 5);
        is("M{L=1 LE=0 PE=2 R=[1, 4, 5, 2, 3] adding=[4, 5] removing=[2, 3] ISR=[1, 2] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 2, 1, 2, 4)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=3 R=[1, 4, 5, 2, 3] adding=[4, 5] removing=[2, 3] ISR=[1, 2, 4] ELR=[] LKE=[]}");
        c.fence(1);
        is("M{L=4 LE=1 PE=4 R=[1, 4, 5, 2, 3] adding=[4, 5] removing=[2, 3] ISR=[2, 4] ELR=[] LKE=[]}");
    }

    @Test
    void s33ABrokerWhoseDirectoryFailsIsABrokerThatIsGone() {
        c.fence(1);
        is("M{L=2 LE=1 PE=1 R=[1, 2, 3] ISR=[2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void s33AReplacedDiskIsAnUncleanReturn() {
        BrokerState old = c.image.broker(1);
        QuorumReply reply = c.run(TestCluster.registration(1, "new", List.of("empty"), -1, "", true));
        assertThat(reply).isInstanceOf(QuorumReply.Registered.class);
        assertThat(c.lastRecords).hasSize(2);
        assertThat(c.lastRecords.get(0)).isInstanceOf(PartitionChanged.class);
        assertThat(c.lastRecords.get(1)).isInstanceOf(BrokerRegistered.class);
        is("M{L=2 LE=1 PE=1 R=[1, 2, 3] ISR=[2, 3] ELR=[] LKE=[]}");
        assertThat(c.image.broker(1).epoch()).isGreaterThan(old.epoch());
    }

    @Test
    void s33AnEmptyLogProvesNothing() {
        c.fence(3);
        c.fence(2);
        c.fence(1);
        is("M{L=-1 LE=1 PE=3 R=[1, 2, 3] ISR=[] ELR=[1, 2] LKE=[1]}");
        c.run(TestCluster.registration(
                1, "new", List.of("empty"), c.epoch(1), c.image.broker(1).bootEvidence(), true));
        is("M{L=-1 LE=1 PE=4 R=[1, 2, 3] ISR=[] ELR=[1, 2] LKE=[1]}");
        assertThat(c.state().waitsForFloor(1)).isTrue();
        c.unfence(1);
        assertThat(c.state().hasLeader()).isFalse();
    }
}
