package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.BrokerShuttingDown;
import io.tidemark.model.metadata.MetadataRecord.BrokerUnfenced;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The controller's half of the failure scenarios, by their numbers: which metadata each event leads to. Where the rules
 * ask for more than Kafka does, this is what they ask for.
 */
class ScenarioTest {
    private static List<Class<?>> kinds(TestCluster cluster) {
        return cluster.lastRecords.stream()
                .<Class<?>>map(MetadataRecord::getClass)
                .toList();
    }

    @Test
    void s1bFollowerStopsReturnsAndLeads() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1] ELR=[] LKE=[]}");
        c.comeBack(2, Return.CLEAN);
        assertThat(c.alter(1, 0, 1, 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1, 2] ELR=[] LKE=[]}");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=3 ISR=[2] ELR=[] LKE=[]}");
    }

    @Test
    void s2BothLosePowerAtMinIsrOneAndNobodyIsElectedForHavingLedLast() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.setTopicConfig("t", RecoveryStrategy.KEY, "none");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2] ELR=[] LKE=[]}");
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=2 PE=2 ISR=[] ELR=[2] LKE=[2]}");
        c.comeBack(2, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=2 PE=3 ISR=[] ELR=[2] LKE=[2] UNPROVEN=[2]}");
        c.comeBack(1, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=2 PE=3 ISR=[] ELR=[2] LKE=[2] UNPROVEN=[2]}");
    }

    @Test
    void s2TheOnlyOneOfTheLastIsrIsTheBestThereCanBe() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.fence(1);
        c.fence(2);
        c.comeBack(1, Return.UNCLEAN, 9, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=2 PE=2 ISR=[] ELR=[2] LKE=[2]}");
        c.comeBack(2, Return.UNCLEAN, 5, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=2 LE=3 PE=4 ISR=[2] ELR=[] LKE=[] RECOVERING}");
        assertThat(c.lastCause.reason())
                .contains("t-0: unclean election of broker 2 from broker 2 0..5 epoch 0")
                .contains("above its end 5 may be lost");
    }

    @Test
    void s2TheSurvivorOfAKilledProcessKeepsItsSeatOnTheSameBoot() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.fence(1);
        c.fence(2);
        c.comeBack(1, Return.SAME_BOOT);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=2 PE=2 ISR=[] ELR=[2] LKE=[2]}");
        c.comeBack(2, Return.SAME_BOOT);
        assertThat(c.m()).isEqualTo("M{L=2 LE=3 PE=3 ISR=[2] ELR=[] LKE=[]}");
    }

    @Test
    void s4UncleanElectionWhereTheTopicAllowsIt() {
        TestCluster c = TestCluster.baseline(2, 1, true);
        c.fence(2);
        c.comeBack(2, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1] ELR=[] LKE=[]}");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=2 ISR=[2] ELR=[] LKE=[] RECOVERING}");
        assertThat(c.alter(2, 1, 2, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=3 ISR=[2] ELR=[] LKE=[]}");
    }

    @Test
    void s4WithoutThatPermissionTheReplicaOutsideTheIsrIsNotElected() {
        TestCluster c = TestCluster.baseline(2, 1, false);
        c.fence(2);
        c.comeBack(2, Return.CLEAN);
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=2 ISR=[] ELR=[1] LKE=[1]}");
        c.comeBack(1, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=3 ISR=[1] ELR=[] LKE=[]}");
    }

    @Test
    void s8AnExpansionNamingAnOlderIncarnationIsRefused() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        c.comeBack(3, Return.CLEAN);
        List<IsrMember> inFlight =
                List.of(new IsrMember(1, c.epoch(1)), new IsrMember(2, c.epoch(2)), new IsrMember(3, c.epoch(3)));
        c.fence(3);
        c.comeBack(3, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 2] ELR=[] LKE=[]}");
        assertThat(c.propose(1, 0, 1, inFlight, IsrProposal.Kind.CHANGE)).isEqualTo(ErrorCode.INELIGIBLE_REPLICA);
        assertThat(c.lastRecords).isEmpty();
        assertThat(c.lastCause.reason()).contains("broker 3 is at epoch " + c.epoch(3));
        assertThat(c.alter(1, 0, 1, 1, 2, 3)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1, 2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void s10AZombieLeaderChangesNothing() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 0, 1)).isEqualTo(ErrorCode.FENCED_LEADER_EPOCH);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
    }

    private static TestCluster afterAllFencedOneByOne() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 2] ELR=[] LKE=[]}");
        c.fence(2);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[]}");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=3 ISR=[] ELR=[1, 2] LKE=[1]}");
        return c;
    }

    @Test
    void s12IsrToOneThenTheLeaderDiesAndAnEligibleReplicaLeads() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(2, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=4 ISR=[2] ELR=[1] LKE=[]}");
        c.comeBack(1, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=4 ISR=[2] ELR=[1] LKE=[]}");
        assertThat(c.alter(2, 2, 4, 2, 1)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=5 ISR=[2, 1] ELR=[] LKE=[]}");
    }

    @Test
    void s13ThereIsNoModeWithoutElrSoTheSecondToReturnIsWaitedFor() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(3, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=3 ISR=[] ELR=[1, 2] LKE=[1]}");
        c.comeBack(1, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[1]}");
        c.comeBack(2, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=5 ISR=[2] ELR=[1] LKE=[] UNPROVEN=[1]}");
    }

    @Test
    void s14aTheCleanOneOfTwoIsElected() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(2, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[2]}");
        c.comeBack(1, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=5 ISR=[1] ELR=[2] LKE=[] UNPROVEN=[2]}");
    }

    @Test
    void s14bTheBestOfAllIsElectedOnceAllHaveReported() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(2, Return.UNCLEAN, 100, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[2]}");
        c.register(1, Return.UNCLEAN, 90, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=5 ISR=[2] ELR=[] LKE=[] RECOVERING}");
        assertThat(c.lastCause.reason())
                .endsWith("t-0: unclean election of broker 2 from broker 1 0..90 epoch 0, broker 2 0..100 epoch 0;"
                        + " what was acknowledged above its end 100 may be lost (how far is not known)");
    }

    @Test
    void s14bTheLastKnownLeaderIsNotElectedWithoutEvidence() {
        TestCluster c = afterAllFencedOneByOne();
        c.setTopicConfig("t", RecoveryStrategy.KEY, "none");
        c.comeBack(2, Return.UNCLEAN, 100, 0, 0);
        c.comeBack(1, Return.UNCLEAN, 110, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=5 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[1, 2]}");
    }

    @Test
    void s14cNorWhenItReturnsFirst() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(1, Return.UNCLEAN, 110, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1] UNPROVEN=[1]}");
        c.comeBack(2, Return.UNCLEAN, 100, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=5 ISR=[1] ELR=[] LKE=[] RECOVERING}");
    }

    @Test
    void s14AKilledProcessOnTheSameBootIsNotAnUncleanReturn() {
        TestCluster c = afterAllFencedOneByOne();
        c.comeBack(2, Return.SAME_BOOT);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=4 ISR=[2] ELR=[1] LKE=[]}");
    }

    @Test
    void s25ControlledShutdownOfTheLeader() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.shutDown(1);
        assertThat(kinds(c)).containsExactly(BrokerShuttingDown.class, PartitionChanged.class);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
        assertThat(c.image.broker(1).shutdownIndex()).isEqualTo(c.image.index());
        long began = c.image.index();
        c.shutDown(1);
        assertThat(c.lastRecords).isEmpty();
        assertThat(c.image.broker(1).shutdownIndex()).isEqualTo(began);
        assertThat(c.alter(2, 1, 1, 1, 2, 3)).isEqualTo(ErrorCode.INELIGIBLE_REPLICA);
        assertThat(c.lastCause.reason()).contains("broker 1 is shutting down");
        c.fence(1);
        assertThat(kinds(c)).containsExactly(BrokerFenced.class);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
    }

    @Test
    void s25TheLastOneToShutDownKeepsItsSeat() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.shutDown(3);
        c.shutDown(2);
        c.shutDown(1);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=3 ISR=[] ELR=[1, 2] LKE=[1]}");
        c.fence(3, 2, 1);
        c.comeBack(1, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=4 ISR=[1] ELR=[2] LKE=[]}");
    }

    @Test
    void s26AShrinkDecidedUnderAnotherMinIsrIsRefused() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.setTopicConfig("t", "min.insync.replicas", "3");
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 0, 1, 2)).isEqualTo(ErrorCode.INVALID_UPDATE_VERSION);
        assertThat(c.alter(1, 0, 1, 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1, 2] ELR=[3] LKE=[]}");
    }

    @Test
    void s30AnExpansionSentAgainHasNoSecondEffect() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        c.comeBack(3, Return.CLEAN);
        assertThat(c.alter(1, 0, 1, 1, 2, 3)).isEqualTo(ErrorCode.NONE);
        assertThat(c.alter(1, 0, 1, 1, 2, 3)).isEqualTo(ErrorCode.INVALID_UPDATE_VERSION);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.alter(1, 0, 3, 1, 2, 3))
                .as("a leader ahead of this controller")
                .isEqualTo(ErrorCode.NOT_CONTROLLER);
    }

    @Test
    void s32TwoBrokersDieTogetherInOneDecision() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(1, 2);
        assertThat(c.m()).isEqualTo("M{L=3 LE=1 PE=1 ISR=[3] ELR=[1, 2] LKE=[]}");
        assertThat(kinds(c)).containsExactly(PartitionChanged.class, BrokerFenced.class, BrokerFenced.class);
    }

    @Test
    void s32AllDieTogetherAndAllKeepTheirSeats() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(1, 2, 3);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=1 ISR=[] ELR=[1, 2, 3] LKE=[1]}");
    }

    @Test
    void s35AnIsrMemberIsBackUncleanBeforeItWasFenced() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        QuorumReply reply = c.register(2, Return.UNCLEAN);
        assertThat(kinds(c)).containsExactly(PartitionChanged.class, BrokerRegistered.class);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 3] ELR=[] LKE=[]}");
        assertThat(new QuorumReply.Answer(c.image.index(), reply).brokerEpoch())
                .isEqualTo(c.image.index())
                .isEqualTo(c.epoch(2));
        assertThat(c.image.broker(2).fenced()).isTrue();
    }

    @Test
    void s35TheLeaderIsBackBeforeItWasFencedAndTheSharedDirectoryTakesOver() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        long old = c.epoch(1);
        c.liveSessions.add(1);
        assertThat(c.register(1, Return.SAME_BOOT)).isInstanceOf(QuorumReply.Registered.class);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
        assertThat(c.run(new QuorumCommand.AllocateProducerIds(1, old)))
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(ErrorCode.STALE_BROKER_EPOCH));
        c.unfence(1);
        assertThat(kinds(c)).containsExactly(BrokerUnfenced.class);
    }
}
