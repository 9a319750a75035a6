package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand.AlterReassignments;
import io.tidemark.model.metadata.QuorumCommand.Reassignment;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Beginning, changing, cancelling and ending reassignments (R7.60-R7.63). */
class ReassignmentsTest {
    private final TestCluster c = TestCluster.baseline(3, 2, false);

    @BeforeEach
    void sixBrokers() {
        c.start(4);
        c.start(5);
        c.start(6);
    }

    private ErrorCode reassign(Integer... target) {
        return c.reassign("t", 0, Arrays.asList(target));
    }

    private ErrorCode cancel() {
        return c.reassign("t", 0, null);
    }

    private void is(String state) {
        assertThat(SideBySide.view(c.state())).hasToString(state);
    }

    @Test
    void anotherOrderIsThereAtOnce() {
        assertThat(reassign(3, 2, 1)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=1 R=[3, 2, 1] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(reassign(3, 2, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.lastRecords).as("it is so already").isEmpty();
        assertThat(cancel()).isEqualTo(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS);
    }

    @Test
    void fewerReplicasAreThereAtOnceIfThoseThatStayAreInSync() {
        assertThat(reassign(2, 3)).isEqualTo(ErrorCode.NONE);
        is("M{L=2 LE=1 PE=1 R=[2, 3] ISR=[2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void fewerReplicasWaitForThoseThatStay() {
        c.fence(3);
        assertThat(reassign(2, 3)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=2 R=[2, 3, 1] removing=[1] ISR=[1, 2] ELR=[] LKE=[]}");
        c.comeBack(3, Return.CLEAN);
        assertThat(c.alter(1, 0, 2, 1, 2, 3)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        is("M{L=2 LE=1 PE=3 R=[2, 3] ISR=[2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void asManyComeAsGo() {
        assertThat(reassign(4, 5, 6)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=1 R=[4, 5, 6, 1, 2, 3] adding=[4, 5, 6] removing=[1, 2, 3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.state().minIsr()).isEqualTo(2);
        assertThat(c.alter(1, 0, 1, 1, 2, 3, 4, 5)).isEqualTo(ErrorCode.NONE);
        is(
                "M{L=1 LE=0 PE=2 R=[4, 5, 6, 1, 2, 3] adding=[4, 5, 6] removing=[1, 2, 3] ISR=[1, 2, 3, 4, 5] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 2, 1, 2, 3, 4, 5, 6)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        is("M{L=4 LE=1 PE=3 R=[4, 5, 6] ISR=[4, 5, 6] ELR=[] LKE=[]}");
    }

    @Test
    void aFenceCanEndAReassignment() {
        c.fence(3);
        assertThat(reassign(1, 2)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=1 PE=2 R=[1, 2] ISR=[1, 2] ELR=[] LKE=[]}");
    }

    @Test
    void theLastTargetCounts() {
        assertThat(reassign(1, 2, 4)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=1 R=[1, 2, 4, 3] adding=[4] removing=[3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(reassign(1, 2, 5)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=2 R=[1, 2, 5, 3, 4] adding=[5] removing=[3, 4] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(reassign(1, 2, 4, 5)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=3 R=[1, 2, 4, 5, 3] adding=[5] removing=[3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(reassign(1, 2, 4, 5)).as("the same again").isEqualTo(ErrorCode.NONE);
        assertThat(c.lastRecords).isEmpty();
        assertThat(reassign(3, 2, 1)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=1 PE=4 R=[3, 2, 1] ISR=[1, 2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void cancelledItIsAsBefore() {
        reassign(4, 5, 6);
        assertThat(c.alter(1, 0, 1, 1, 2, 3, 4)).isEqualTo(ErrorCode.NONE);
        assertThat(cancel()).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=1 PE=3 R=[1, 2, 3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
    }

    /** 4, which was being added, is alone in sync. */
    private void onlyTheAddedOneIsInSync() {
        reassign(4, 5);
        assertThat(c.alter(1, 0, 1, 1, 2, 3, 4)).isEqualTo(ErrorCode.NONE);
        c.fence(1);
        c.fence(2, 3);
        assertThat(c.state().isr()).containsExactly(4);
    }

    @Test
    void cancellingThatWouldLeaveNobodyInSyncIsRefused() {
        onlyTheAddedOneIsInSync();
        assertThat(cancel()).isEqualTo(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void unlessUncleanElectionsAreAllowedAndThenItSaysSo() {
        onlyTheAddedOneIsInSync();
        c.comeBack(3, Return.UNCLEAN);
        c.setTopicConfig("t", RecoveryStrategy.UNCLEAN_KEY, "true");
        c.comeBack(2, Return.UNCLEAN);
        c.comeBack(1, Return.UNCLEAN);
        assertThat(cancel()).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
        assertThat(c.state().recovering()).isTrue();
        assertThat(c.state().replicas()).containsExactly(1, 2, 3);
    }

    @Test
    void aPartitionThatWaitsGoesOnWaitingForTheSame() {
        c.fence(3);
        c.fence(2);
        reassign(1, 2, 4);
        c.fence(1);
        is("M{L=-1 LE=1 PE=4 R=[1, 2, 4, 3] adding=[4] removing=[3] ISR=[] ELR=[1, 2] LKE=[1]}");
        assertThat(cancel()).isEqualTo(ErrorCode.NONE);
        is("M{L=-1 LE=2 PE=5 R=[1, 2, 3] ISR=[] ELR=[1, 2] LKE=[1]}");
        c.comeBack(2, Return.CLEAN);
        is("M{L=2 LE=3 PE=6 R=[1, 2, 3] ISR=[2] ELR=[1] LKE=[]}");
    }

    @Test
    void whatCannotBeIsRefusedRowByRow() {
        assertThat(reassign()).isEqualTo(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(reassign(1, 1)).isEqualTo(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        assertThat(reassign(1, 9)).isEqualTo(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
        PartitionId t0 = c.partition();
        QuorumReply reply = c.run(new AlterReassignments(
                List.of(
                        new Reassignment(t0, List.of(1, 2)),
                        new Reassignment(t0, List.of(3, 2, 1)),
                        new Reassignment(new PartitionId(t0.topicId(), 7), List.of(1)),
                        new Reassignment(new PartitionId(new TopicId(1, 1), 0), null)),
                false,
                ""));
        assertThat(((QuorumReply.Rows) reply).rows())
                .extracting(QuorumReply.Rows.Row::error)
                .containsExactly(
                        ErrorCode.INVALID_REPLICATION_FACTOR,
                        ErrorCode.INVALID_REQUEST,
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(c.lastRecords).isEmpty();
        assertThat(StatelessChecks.refuse(new AlterReassignments(List.of(), true, ""), TestCluster.SETTINGS))
                .isInstanceOf(QuorumReply.Refused.class);
    }

    @Test
    void aFencedBrokerCanBeATarget() {
        c.fence(4);
        assertThat(reassign(1, 2, 4)).isEqualTo(ErrorCode.NONE);
        is("M{L=1 LE=0 PE=1 R=[1, 2, 4, 3] adding=[4] removing=[3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void moreReplicasMayRaiseTheMinIsrAndNoSeatIsLostByIt() {
        c.createTopic("one", List.of(List.of(1)), Map.of("min.insync.replicas", "2"));
        c.fence(1);
        assertThat(c.image.topic("one").partition(0).elr()).containsExactly(1);
        assertThat(c.reassign("one", 0, List.of(1, 2))).isEqualTo(ErrorCode.NONE);
        assertThat(c.image.topic("one").partition(0).minIsr()).isEqualTo(2);
        assertThat(c.image.topic("one").partition(0).elr()).containsExactly(1);
        c.comeBack(1, Return.CLEAN);
        assertThat(c.image.topic("one").partition(0).leader()).isEqualTo(1);
    }
}
