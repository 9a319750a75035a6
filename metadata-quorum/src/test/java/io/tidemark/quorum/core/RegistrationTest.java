package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R7.1-R7.3 with B5's takeover and B1's evidence of intact logs; a seat without it has to wait for the floor. */
class RegistrationTest {
    private TestCluster c;

    @BeforeEach
    void threeBrokersWithOneBelowMinIsr() {
        c = TestCluster.baseline(3, 2, false);
    }

    private static RegisterBroker with(
            RegisterBroker r,
            String clusterId,
            List<String> dirs,
            long previous,
            String boot,
            boolean uncut,
            int level) {
        return new RegisterBroker(
                clusterId,
                r.brokerId(),
                r.incarnationId(),
                dirs,
                r.endpoints(),
                r.rack(),
                previous,
                boot,
                uncut,
                level,
                level,
                List.of());
    }

    private RegisterBroker fresh(int id, List<String> dirs) {
        return TestCluster.registration(id, "new-incarnation", dirs, -1, "", false);
    }

    private void refused(RegisterBroker command, ErrorCode error) {
        assertThat(c.run(command))
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(error));
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void aForeignClusterIsRefusedFirst() {
        refused(with(fresh(1, List.of()), "other", List.of(), -1, "", false, 9), ErrorCode.INCONSISTENT_CLUSTER_ID);
    }

    @Test
    void directoriesArePresentDifferentAndNobodyElses() {
        refused(fresh(4, List.of()), ErrorCode.INVALID_REGISTRATION);
        refused(fresh(4, List.of("a", "a")), ErrorCode.INVALID_REGISTRATION);
        refused(fresh(4, List.of("a", "")), ErrorCode.INVALID_REGISTRATION);
        refused(fresh(4, List.of("a", "dir-2")), ErrorCode.INVALID_REGISTRATION);
        assertThat(c.run(fresh(4, List.of("a", "b")))).isInstanceOf(QuorumReply.Registered.class);
    }

    @Test
    void aBrokerThatCannotReadTheFinalizedLevelIsRefused() {
        refused(
                with(fresh(4, List.of("a")), TestCluster.CLUSTER_ID, List.of("a"), -1, "", false, 2),
                ErrorCode.UNSUPPORTED_VERSION);
    }

    @Test
    void withoutASharedDirectoryALivingSessionWinsAndADeadOneDoesNot() {
        c.liveSessions.add(2);
        refused(fresh(2, List.of("replacement")), ErrorCode.DUPLICATE_BROKER_REGISTRATION);
        c.liveSessions.clear();
        assertThat(c.run(fresh(2, List.of("replacement")))).isInstanceOf(QuorumReply.Registered.class);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 3] ELR=[] LKE=[]}");
        assertThat(c.image.broker(2).directoryIds()).containsExactly("replacement");
    }

    @Test
    void aCopiedDirectoryIsRefusedWhileTheOldOneAnswers() {
        c.liveSessions.add(2);
        c.answering.add(2);
        refused(fresh(2, List.of("dir-2")), ErrorCode.DUPLICATE_BROKER_REGISTRATION);
        c.answering.clear();
        assertThat(c.run(fresh(2, List.of("dir-2")))).isInstanceOf(QuorumReply.Registered.class);
        assertThat(c.m()).as("its session still ran").isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 3] ELR=[] LKE=[]}");
    }

    @Test
    void theLeaderThatIsTakenOverEndsInTheSameEntry() {
        long old = c.epoch(1);
        c.liveSessions.add(1);
        c.register(1, Return.SAME_BOOT);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
        assertThat(c.epoch(1)).isGreaterThan(old);
    }

    @Test
    void withoutASharedDirectoryNoMarkerOfAnOrderlyStopCounts() {
        seatTwo();
        seatKept(false, c.epoch(2), c.image.broker(2).bootEvidence(), true, List.of("another"));
    }

    @Test
    void theSameIncarnationIsAmendedAndKeepsItsEpochAndItsFences() {
        long epoch = c.epoch(2);
        c.shutDown(2);
        BrokerState before = c.image.broker(2);
        RegisterBroker again = TestCluster.registration(
                2, before.incarnationId(), List.of("dir-2", "dir-2b"), -1, before.bootEvidence(), true);
        assertThat(c.run(again)).isEqualTo(new QuorumReply.Registered(epoch));
        assertThat(c.lastRecords).hasSize(1).first().isInstanceOf(BrokerRegistered.class);
        BrokerState after = c.image.broker(2);
        assertThat(after.epoch()).isEqualTo(epoch);
        assertThat(after.fenced()).isFalse();
        assertThat(after.shutdownIndex()).isEqualTo(before.shutdownIndex());
        assertThat(after.directoryIds()).containsExactly("dir-2", "dir-2b");
        assertThat(c.run(again)).as("nothing to amend").isEqualTo(new QuorumReply.Registered(epoch));
        assertThat(c.lastRecords).isEmpty();
    }

    /** Fence 3, then 2: broker 2 has a seat in the ELR. */
    private void seatTwo() {
        c.fence(3);
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[]}");
    }

    private void seatKept(boolean kept, long previousEpoch, String boot, boolean uncut, List<String> dirs) {
        assertThat(c.run(TestCluster.registration(2, "another", dirs, previousEpoch, boot, uncut)))
                .isInstanceOf(QuorumReply.Registered.class);
        assertThat(c.m())
                .isEqualTo(
                        kept
                                ? "M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[]}"
                                : "M{L=1 LE=0 PE=3 ISR=[1] ELR=[2] LKE=[] UNPROVEN=[2]}");
    }

    @Test
    void anOrderlyStopKeepsTheSeat() {
        seatTwo();
        seatKept(true, c.epoch(2), "", false, List.of("dir-2"));
    }

    @Test
    void anOrderlyStopOfAnEarlierIncarnationDoesNot() {
        seatTwo();
        seatKept(false, c.epoch(2) - 1, "", true, List.of("dir-2"));
    }

    @Test
    void theSameBootWithNothingCutKeepsTheSeat() {
        seatTwo();
        seatKept(true, -1, c.image.broker(2).bootEvidence(), true, List.of("dir-2"));
    }

    @Test
    void theSameBootWithSomethingCutDoesNot() {
        seatTwo();
        seatKept(false, -1, c.image.broker(2).bootEvidence(), false, List.of("dir-2"));
    }

    @Test
    void anotherBootDoesNot() {
        seatTwo();
        seatKept(false, -1, "another boot", true, List.of("dir-2"));
    }

    @Test
    void aMissingDirectoryDoesNot() {
        seatTwo();
        seatKept(false, -1, c.image.broker(2).bootEvidence(), true, List.of("replacement"));
    }

    @Test
    void noEvidenceAtAllIsNoMatchOfEvidence() {
        c.run(TestCluster.registration(2, "without evidence", List.of("dir-2"), -1, "", true));
        c.unfence(2);
        c.alter(1, 0, 1, 1, 2, 3);
        c.fence(3);
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1] ELR=[2] LKE=[]}");
        c.run(TestCluster.registration(2, "another", List.of("dir-2"), -1, "", true));
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=5 ISR=[1] ELR=[2] LKE=[] UNPROVEN=[2]}");
    }

    @Test
    void anIntactReturnLeavesTheIsrAndEntersTheElr() {
        c.fence(3);
        c.register(2, Return.SAME_BOOT);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[]}");
        assertThat(c.lastRecords.get(c.lastRecords.size() - 1)).isInstanceOf(BrokerRegistered.class);
    }

    @Test
    void beforeTheBootstrapNobodyRegisters() {
        c = new TestCluster();
        refused(fresh(1, List.of("dir-1")), ErrorCode.NOT_CONTROLLER);
        c = TestCluster.bootstrapped(Map.of());
        assertThat(c.run(fresh(1, List.of("dir-1")))).isInstanceOf(QuorumReply.Registered.class);
    }
}
