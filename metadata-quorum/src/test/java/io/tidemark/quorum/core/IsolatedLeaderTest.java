package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader that would be alone in sync while the others are there (B13). */
class IsolatedLeaderTest {
    private final TestCluster c = TestCluster.baseline(3, 2, false);

    @BeforeEach
    void switchedOnAndEverybodyIsHeard() {
        c.settings = new ControllerSettings(TestCluster.CLUSTER_ID, 1, 1, 10, true, true);
        c.liveSessions.addAll(List.of(1, 2, 3));
    }

    @Test
    void losesThePartitionToOneOfThem() {
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.lastCause.reason()).contains("leader 1 reaches nobody").contains("broker 2 leads");
    }

    @Test
    void toOneThatIsHeard() {
        c.liveSessions.remove(2);
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        assertThat(c.state().leader()).isEqualTo(3);
    }

    @Test
    void notIfNobodyIsHeard() {
        c.liveSessions.removeAll(List.of(2, 3));
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1] ELR=[2, 3] LKE=[]}");
    }

    @Test
    void notToOneThatIsNotInSync() {
        assertThat(c.alter(1, 0, 0, 1, 2)).as("not alone").isEqualTo(ErrorCode.NONE);
        c.liveSessions.remove(2);
        assertThat(c.alter(1, 0, 1, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
    }

    @Test
    void notTwiceInAMinute() {
        c.movedLately.add(c.partition());
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
    }

    @Test
    void notWhereItIsSwitchedOff() {
        c.settings = TestCluster.SETTINGS;
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
    }

    /** What comes of the proposal, which is not folded. */
    private Decision propose(int leader, Integer... isr) {
        PartitionState state = c.state();
        IsrProposal proposal = new IsrProposal(
                state.id(),
                state.leaderEpoch(),
                state.partitionEpoch(),
                Arrays.stream(isr).map(id -> new IsrMember(id, c.epoch(id))).toList(),
                false,
                IsrProposal.Kind.CHANGE,
                Floor.NONE,
                "a reason");
        return c.decide(new AlterPartition(leader, c.epoch(leader), List.of(proposal)));
    }

    /** The leader that leaves with the end of a reassignment reaches the others well enough. */
    @Test
    void aMoveForAnotherReasonDoesNotCount() {
        c.start(4);
        c.liveSessions.add(4);
        assertThat(c.reassign("t", 0, List.of(4))).isEqualTo(ErrorCode.NONE);
        Decision completed = propose(1, 1, 2, 3, 4);
        assertThat(((AlteredPartitions) completed.reply()).results().get(0).error())
                .isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        LeadersMoved moved = new LeadersMoved();
        moved.decided(completed, new MonoTime(0));
        assertThat(moved.lately(c.partition(), new MonoTime(1))).isFalse();
    }

    @Test
    void movesAreRememberedForAMinute() {
        LeadersMoved moved = new LeadersMoved();
        Decision taken = propose(1, 1);
        assertThat(moved.lately(c.partition(), new MonoTime(0))).isFalse();
        moved.decided(taken, new MonoTime(0));
        assertThat(moved.lately(c.partition(), new MonoTime(LeadersMoved.MINUTE_MS - 1)))
                .isTrue();
        assertThat(moved.lately(c.partition(), new MonoTime(LeadersMoved.MINUTE_MS)))
                .isFalse();
        moved.decided(taken, new MonoTime(LeadersMoved.MINUTE_MS));
        assertThat(moved.lately(c.partition(), new MonoTime(LeadersMoved.MINUTE_MS)))
                .isTrue();
    }

    @Test
    void anotherAnswerDoesNotMakeItForgetThem() {
        LeadersMoved moved = new LeadersMoved();
        moved.decided(propose(1, 1), new MonoTime(0));
        moved.decided(propose(1, 1, 2), new MonoTime(LeadersMoved.MINUTE_MS - 1));
        assertThat(moved.lately(c.partition(), new MonoTime(LeadersMoved.MINUTE_MS - 1)))
                .isTrue();
    }
}
