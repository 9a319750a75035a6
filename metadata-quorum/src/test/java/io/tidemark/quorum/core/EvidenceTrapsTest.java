package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Ways in which seats by evidence lose acknowledged records if one of their rules is left out (B1): the controllers' part
 * of each, by its name. Three brokers, min ISR 2, unless said otherwise.
 */
class EvidenceTrapsTest {
    private static Floor at(long offset, int epoch) {
        return Floor.known(offset, epoch, true);
    }

    private static TestCluster ledByOneAlone() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        return c;
    }

    @Test
    void k2AnExpansionThatWasRefusedMayBeAcceptedLaterWhileNothingHasMoved() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(2);
        List<IsrMember> grown =
                List.of(new IsrMember(1, c.epoch(1)), new IsrMember(3, c.epoch(3)), new IsrMember(2, c.epoch(2)));
        assertThat(c.propose(1, 0, 1, grown, IsrProposal.Kind.CHANGE)).isEqualTo(ErrorCode.INELIGIBLE_REPLICA);
        c.unfence(2);
        // This is why a leader keeps the joiner in its maximal ISR until PE has moved ...
        TestCluster cancelled = TestCluster.baseline(3, 2, false);
        cancelled.fence(2);
        cancelled.unfence(2);
        assertThat(cancelled.propose(
                        1,
                        0,
                        1,
                        List.of(new IsrMember(1, cancelled.epoch(1)), new IsrMember(3, cancelled.epoch(3))),
                        IsrProposal.Kind.CANCEL))
                .isEqualTo(ErrorCode.NONE);
        assertThat(c.propose(1, 0, 1, grown, IsrProposal.Kind.CHANGE)).isEqualTo(ErrorCode.NONE);
        // ... and a cancel moves it.
        assertThat(cancelled.propose(1, 0, 1, grown, IsrProposal.Kind.CHANGE))
                .isEqualTo(ErrorCode.INVALID_UPDATE_VERSION);
    }

    /** Rule 8: a leader that acts has the last word; where nobody is in the ISR, the seats are all there is. */
    @Test
    void anotherMinIsrTakesNoSeatFromAPartitionThatWaitsForOne() {
        for (int min : new int[] {3, 1}) {
            TestCluster c = ledByOneAlone();
            assertThat(c.report(at(100, 0))).isEqualTo(ErrorCode.NONE);
            c.fence(1);
            c.register(2, Return.UNCLEAN, 50, 0, 0);
            assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=5 ISR=[] ELR=[1] LKE=[1, 2]}");
            c.setTopicConfig("t", ClusterImage.MIN_ISR_KEY, "" + min);
            assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=6 ISR=[] ELR=[1] LKE=[1, 2]}");
            assertThat(c.state().floor()).as("still bounds what was exposed").isEqualTo(at(100, 0));
            assertThat(c.state().report(2)).isNotNull();
            c.unfence(2);
            assertThat(c.state().hasLeader())
                    .as("2 lacks what the floor asks for")
                    .isFalse();
            c.comeBack(1, Return.CLEAN);
            assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=7 ISR=[1] ELR=[] LKE=" + (min == 1 ? "[]}" : "[2]}"));
            assertThat(c.state().floor()).isEqualTo(min == 1 ? Floor.NONE : at(100, 0));
        }
    }

    @Test
    void anotherMinIsrTakesTheSeatsWhereALeaderActs() {
        TestCluster c = ledByOneAlone();
        c.setTopicConfig("t", ClusterImage.MIN_ISR_KEY, "3");
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=3 ISR=[1] ELR=[] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
    }

    @Test
    void k4SeveralFencedInOneStepAtMinIsrOne() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.fence(1, 2);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=1 ISR=[] ELR=[1, 2] LKE=[1]}");
        c.comeBack(1, Return.CLEAN);
        assertThat(c.m())
                .as("1 acknowledges alone from here: 2 has no seat")
                .isEqualTo("M{L=1 LE=2 PE=2 ISR=[1] ELR=[] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
        c.fence(1);
        c.comeBack(2, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=3 PE=3 ISR=[] ELR=[1] LKE=[1]}");
    }

    @Test
    void c1AFreshLeaderSpeaksForTheStartOfItsEpochNotForItsMark() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(2);
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=3 LE=1 PE=2 ISR=[3] ELR=[1] LKE=[]}");
        // 1 had exposed 0@0; the mark of 3 is still 0, but its epoch starts at 1.
        assertThat(c.report(Floor.known(1, 0, false))).isEqualTo(ErrorCode.NONE);
        c.register(3, Return.UNCLEAN, 0);
        assertThat(c.m()).as("3 lost everything").isEqualTo("M{L=-1 LE=2 PE=4 ISR=[] ELR=[1] LKE=[3]}");
        c.unfence(3);
        assertThat(c.state().leader()).isEqualTo(-1);
        c.comeBack(1, Return.CLEAN);
        assertThat(c.state().leader()).isEqualTo(1);
    }

    @Test
    void c2AFloorCountsOnlyFromALeaderThatHoldsItsMark() {
        // A shrink below min: the leader holds its mark from sending it on.
        TestCluster c = TestCluster.baseline(3, 2, false);
        assertThat(c.alter(at(7, 0), 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(at(7, 0));
        // An ISR at min: it does not, whatever becomes of the partition in the same step.
        TestCluster moved = TestCluster.bootstrapped(Map.of());
        for (int id = 1; id <= 4; id++) {
            moved.start(id);
        }
        moved.createTopic("t", List.of(List.of(1, 2, 3)), Map.of("min.insync.replicas", "2"));
        assertThat(moved.reassign("t", 0, List.of(3, 4))).isEqualTo(ErrorCode.NONE);
        moved.fence(3);
        assertThat(moved.alter(at(0, -1), 1, 2, 4)).isEqualTo(ErrorCode.NONE);
        moved.unfence(3);
        moved.fence(4);
        assertThat(moved.state().floor()).isEqualTo(Floor.NONE);
        moved.unfence(4);
        assertThat(moved.alter(at(0, -1), 1, 2, 3)).isEqualTo(ErrorCode.NONE);
        assertThat(moved.state().floor()).isEqualTo(Floor.NONE);
    }

    @Test
    void c3ALateReportOfAnEarlierPeriodIsRefused() {
        TestCluster c = ledByOneAlone();
        int earlier = c.state().partitionEpoch();
        c.comeBack(2, Return.CLEAN);
        assertThat(c.alter(1, 0, earlier, 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
        c.fence(2);
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        assertThat(c.report(at(0, -1), earlier)).isEqualTo(ErrorCode.INVALID_UPDATE_VERSION);
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
    }

    @Test
    void c4TheFloorDoesNotOutliveAnIsrThatReachesMin() {
        TestCluster c = ledByOneAlone();
        c.report(at(5, 0));
        assertThat(c.state().floor()).isEqualTo(at(5, 0));
        c.comeBack(2, Return.CLEAN);
        assertThat(c.state().floor()).as("still below").isEqualTo(at(5, 0));
        assertThat(c.alter(at(5, 0), 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
        c.fence(2);
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        c.comeBack(2, Return.UNCLEAN, 5, 0, 0);
        assertThat(c.m()).as("5 is not enough any more").contains("UNPROVEN=[2]");
    }

    @Test
    void c5WhatTheControllerTakesBelowMinHasNoFloorUntilTheLeaderSpeaks() {
        TestCluster c = ledByOneAlone();
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=3 ISR=[1] ELR=[2] LKE=[] UNPROVEN=[2]}");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[2]}");
    }

    @Test
    void c6AnEndThatIsHighEnoughIsNoEvidence() {
        TestCluster c = ledByOneAlone();
        assertThat(c.report(at(1, 0))).isEqualTo(ErrorCode.NONE);
        c.register(2, Return.UNCLEAN, 3, 1, 0); // a truncation that was undone: 0@1
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1] ELR=[] LKE=[2]}");
    }

    @Test
    void c7AnOrderlyStopDoesNotLaunderASeat() {
        TestCluster c = ledByOneAlone();
        c.comeBack(2, Return.UNCLEAN, 0);
        c.shutDown(2);
        c.fence(2);
        c.comeBack(2, Return.CLEAN, 0);
        assertThat(c.m()).contains("ELR=[2] LKE=[] UNPROVEN=[2]");
        c.fence(1);
        assertThat(c.m()).contains("L=-1").contains("UNPROVEN=[2]");
        TestCluster more = ledByOneAlone();
        more.comeBack(2, Return.UNCLEAN, 0);
        more.comeBack(2, Return.SAME_BOOT, 6, 0, 0);
        assertThat(more.report(at(6, 0))).isEqualTo(ErrorCode.NONE);
        assertThat(more.m()).as("the newest report counts").contains("ELR=[2] LKE=[]}");
    }

    @Test
    void c8WhoLedLastIsNotElectedWhileAnotherHasARecordOfIt() {
        TestCluster c = TestCluster.baseline(2, 2, false);
        c.comeBack(2, Return.SAME_BOOT, 1, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1] ELR=[2] LKE=[]}");
        c.comeBack(1, Return.UNCLEAN, 0);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=2 ISR=[2] ELR=[1] LKE=[] UNPROVEN=[1]}");
    }

    @Test
    void c10OnceAllReportedAnElectionIsStillUnclean() {
        TestCluster c = TestCluster.baseline(2, 2, false);
        c.fence(1, 2);
        c.comeBack(1, Return.UNCLEAN, 3, 0, 0);
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=4 ISR=[2] ELR=[] LKE=[] RECOVERING}");
    }
}
