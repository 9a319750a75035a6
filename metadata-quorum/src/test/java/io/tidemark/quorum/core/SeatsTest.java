package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Seats by what is known of logs, floors, and what is done when nobody is proven (B1). */
class SeatsTest {
    private static final Floor FIVE = Floor.known(5, 0, true);

    private static TestCluster ledByOneAlone(Floor floor) {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        c.fence(2);
        if (floor != null) {
            assertThat(c.report(floor)).isEqualTo(ErrorCode.NONE);
        }
        return c;
    }

    @ParameterizedTest
    @CsvSource({
        // how 2 comes back, its end, floor known before, floor known later; ELR, LKE, UNPROVEN after
        "CLEAN,     5, true,  false, 2, '', ''",
        "SAME_BOOT, 5, true,  false, 2, '', ''",
        "UNCLEAN,   5, true,  false, 2, '', ''",
        "UNCLEAN,   4, true,  false, '', 2, ''",
        "CLEAN,     4, true,  false, 2, '', ''", // intact is enough
        "CLEAN,     5, false, false, 2, '', ''",
        "UNCLEAN,   5, false, false, 2, '', 2",
        "UNCLEAN,   5, false, true,  2, '', ''",
        "UNCLEAN,   4, false, false, 2, '', 2",
        "UNCLEAN,   4, false, true,  '', 2, ''",
        "CLEAN,     4, false, true,  2, '', ''"
    })
    void aSeatIsJudged(Return how, long end, boolean before, boolean after, String elr, String lke, String unproven) {
        TestCluster c = ledByOneAlone(before ? FIVE : null);
        c.comeBack(2, how, end, 0, 0);
        if (after) {
            c.report(FIVE);
        }
        String waits = unproven.isEmpty() ? "" : " UNPROVEN=[" + unproven + "]";
        assertThat(c.m()).endsWith("ISR=[1] ELR=[" + elr + "] LKE=[" + lke + "]" + waits + "}");
        c.fence(1);
        assertThat(c.state().leader()).isEqualTo(elr.isEmpty() || !unproven.isEmpty() ? -1 : 2);
    }

    @Test
    void theCommandThatBeginsThePeriodIsJudgedWithoutAFloor() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.fence(3);
        c.register(2, Return.UNCLEAN, 5, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1] ELR=[2] LKE=[] UNPROVEN=[2]}");
        assertThat(c.report(FIVE)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=3 ISR=[1] ELR=[2] LKE=[]}");
    }

    @Test
    void atOrAboveMinAReturnGivesNoSeatWhateverItsLog() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.register(2, Return.UNCLEAN, 5, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1, 3] ELR=[] LKE=[]}");
        assertThat(c.state().unproven()).isEmpty();
    }

    @Test
    void theLeaderThatReturnsIsJudgedToo() {
        TestCluster c = ledByOneAlone(FIVE);
        c.register(1, Return.UNCLEAN, 5, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=4 ISR=[] ELR=[1, 2] LKE=[1]}");
        c.unfence(1);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=5 ISR=[1] ELR=[2] LKE=[]}");
        assertThat(c.state().floor()).as("one period below min").isEqualTo(FIVE);
    }

    @Test
    void aBrokerThatReportsNothingHasNothing() {
        TestCluster c = ledByOneAlone(FIVE);
        c.register(2, Return.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1] ELR=[] LKE=[2]}");
        assertThat(c.state().report(2)).isEqualTo(SeatReport.nothing(2, c.partition()));
        TestCluster empty = ledByOneAlone(Floor.known(0, -1, true));
        empty.register(2, Return.UNCLEAN);
        assertThat(empty.m()).as("nothing was exposed").isEqualTo("M{L=1 LE=0 PE=3 ISR=[1] ELR=[2] LKE=[]}");
    }

    @Test
    void aKnownFloorIsOnlyLowered() {
        TestCluster c = ledByOneAlone(FIVE);
        assertThat(c.report(Floor.known(9, 0, true))).isEqualTo(ErrorCode.NONE);
        assertThat(c.report(Floor.NONE)).isEqualTo(ErrorCode.NONE);
        assertThat(c.report(Floor.UNKNOWN)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(FIVE);
        c.fence(1);
        c.comeBack(2, Return.CLEAN);
        assertThat(c.m()).contains("L=2").contains("ELR=[1]");
        assertThat(c.state().floor()).isEqualTo(FIVE);
        assertThat(c.report(Floor.known(4, 0, false))).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(Floor.known(4, 0, false));
    }

    @Test
    void aReportAtMinSetsNoFloor() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        assertThat(c.report(FIVE)).isEqualTo(ErrorCode.NONE);
        assertThat(c.alter(FIVE, 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
        assertThat(c.state().partitionEpoch()).isEqualTo(2);
    }

    @Test
    void whoLostItsSeatIsListedUntilTheIsrReachesMin() {
        TestCluster c = ledByOneAlone(FIVE);
        c.comeBack(2, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1] ELR=[] LKE=[2]}");
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=5 ISR=[] ELR=[1] LKE=[1, 2]}");
        c.comeBack(1, Return.CLEAN, 5, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=6 ISR=[1] ELR=[] LKE=[2]}");
        assertThat(c.alter(FIVE, 1, 2)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=7 ISR=[1, 2] ELR=[] LKE=[]}");
        assertThat(c.state().unproven()).isEmpty();
    }

    @Test
    void aLostSeatsNewerReportReplacesTheOlder() {
        TestCluster c = ledByOneAlone(FIVE);
        c.comeBack(2, Return.UNCLEAN, 3, 0, 0);
        c.comeBack(2, Return.CLEAN, 4, 0, 0);
        assertThat(c.state().report(2).logEnd()).isEqualTo(4);
        assertThat(c.m()).as("a seat does not come back").contains("ELR=[] LKE=[2]");
    }

    @Test
    void anotherMinIsrEndsAllOfIt() {
        TestCluster c = ledByOneAlone(null);
        c.comeBack(2, Return.UNCLEAN, 3, 0, 0);
        c.setTopicConfig("t", "min.insync.replicas", "3");
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1] ELR=[] LKE=[]}");
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        assertThat(c.state().unproven()).isEmpty();
        c.report(FIVE);
        c.setTopicConfig("t", "min.insync.replicas", "2");
        assertThat(c.state().floor()).isEqualTo(Floor.UNKNOWN);
        c.setTopicConfig("t", "min.insync.replicas", "1");
        assertThat(c.state().floor()).isEqualTo(Floor.NONE);
    }

    @Test
    void aReplicaThatLeavesTakesItsReportWithIt() {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.start(4);
        c.start(5);
        assertThat(c.reassign("t", 0, List.of(4, 5))).isEqualTo(ErrorCode.NONE);
        assertThat(c.alter(1, 0, 1, 1, 2, 3, 4)).isEqualTo(ErrorCode.NONE);
        c.fence(2, 3);
        c.fence(4);
        c.comeBack(4, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.m()).endsWith("ISR=[1] ELR=[4] LKE=[] UNPROVEN=[4]}");
        assertThat(c.reassign("t", 0, null)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).endsWith("ISR=[1] ELR=[] LKE=[]}");
        assertThat(c.state().unproven()).isEmpty();
        assertThat(c.state().underMinIsr()).isTrue();
    }

    @Test
    void nobodyWaitsForWhoIsUnregistered() {
        TestCluster c = ledByOneAlone(null);
        c.fence(1);
        c.comeBack(2, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.state().leader()).isEqualTo(-1);
        c.run(new QuorumCommand.UnregisterBroker(1, ""));
        assertThat(c.m()).as("2 is all there can be").contains("L=2").contains("RECOVERING");
    }

    // ---- nobody is proven ----

    /** ISR [1], ELR [2], all gone; 3 lags. */
    private static TestCluster allDown(String strategy) {
        TestCluster c = TestCluster.baseline(3, 2, false);
        c.setTopicConfig("t", RecoveryStrategy.KEY, strategy);
        c.fence(3);
        c.fence(2);
        c.report(FIVE);
        c.fence(1);
        assertThat(c.m()).contains("ELR=[1, 2]");
        return c;
    }

    @Test
    void noneWaitsForAnOperator() {
        TestCluster c = allDown("none");
        c.comeBack(3, Return.CLEAN, 5, 0, 0);
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        c.comeBack(1, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=-1 LE=1 PE=6 ISR=[] ELR=[] LKE=[1, 2]}");
        QuorumReply reply = c.run(new QuorumCommand.ElectLeaders(List.of(c.partition()), true, "operator"));
        assertThat(((QuorumReply.Rows) reply).rows().get(0).error()).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).as("the best of them").contains("L=2").contains("RECOVERING");
        assertThat(c.lastCause.reason()).contains("broker 1 0..3 epoch 0, broker 2 0..4 epoch 0", "up to offset 5");
        assertThat(c.lastCause.client()).isEqualTo("operator");
    }

    @Test
    void balancedTakesTheBestOnceAllHaveReported() {
        TestCluster c = allDown("balanced");
        c.comeBack(3, Return.CLEAN, 5, 0, 0);
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        assertThat(c.m()).as("1 may come back with all of it").contains("L=-1").contains("ELR=[1] LKE=[1, 2]");
        c.comeBack(1, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=2 LE=2 PE=6 ISR=[2] ELR=[] LKE=[] RECOVERING}");
        assertThat(c.state().floor()).as("2 exposes what it has from here").isEqualTo(Floor.UNKNOWN);
    }

    @Test
    void balancedWaitsForTheBestIfThatIsGoneAgain() {
        TestCluster c = allDown("balanced");
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        c.fence(2);
        c.comeBack(1, Return.UNCLEAN, 3, 0, 0);
        assertThat(c.state().leader()).isEqualTo(-1);
        c.unfence(2);
        assertThat(c.state().leader()).isEqualTo(2);
    }

    @Test
    void balancedPrefersTheHigherEpoch() {
        TestCluster c = allDown("balanced");
        c.comeBack(2, Return.UNCLEAN, 9, 1, 0);
        c.comeBack(1, Return.UNCLEAN, 3, 2, 0);
        assertThat(c.state().leader()).isEqualTo(1);
    }

    @Test
    void aProvenOneIsElectedCleanlyWhateverTheStrategy() {
        for (String strategy : List.of("none", "balanced", "aggressive")) {
            TestCluster c = allDown(strategy);
            c.comeBack(2, Return.UNCLEAN, 5, 0, 0);
            assertThat(c.m()).as(strategy).isEqualTo("M{L=2 LE=2 PE=5 ISR=[2] ELR=[1] LKE=[]}");
        }
    }

    @Test
    void aggressiveTakesWhoIsThere() {
        TestCluster c = allDown("aggressive");
        c.comeBack(3, Return.CLEAN, 2, 0, 0);
        assertThat(c.m()).isEqualTo("M{L=3 LE=2 PE=5 ISR=[3] ELR=[] LKE=[] RECOVERING}");
        assertThat(c.lastCause.reason()).contains("from no reports, not heard of [1, 2]");
    }

    @Test
    void aggressivePrefersAReportedLogToAnUnknownOne() {
        TestCluster c = allDown("none");
        c.comeBack(3, Return.CLEAN, 2, 0, 0);
        c.comeBack(2, Return.UNCLEAN, 4, 0, 0);
        becomeAggressive(c);
        assertThat(c.state().leader()).isEqualTo(2);
    }

    @Test
    void aggressivePrefersAnUnknownLogToOneThatIsKnownToBeEmpty() {
        TestCluster c = allDown("none");
        c.comeBack(1, Return.UNCLEAN, 0, 0, 0);
        c.comeBack(3, Return.CLEAN, 2, 0, 0);
        becomeAggressive(c);
        assertThat(c.state().leader()).isEqualTo(3);
        TestCluster alone = allDown("none");
        alone.comeBack(1, Return.UNCLEAN, 0, 0, 0);
        becomeAggressive(alone);
        assertThat(alone.state().leader()).as("nobody else is there").isEqualTo(1);
    }

    private static void becomeAggressive(TestCluster c) {
        c.run(new QuorumCommand.AlterConfigs(
                List.of(new QuorumCommand.ConfigChange(
                        ConfigResource.topic("t"),
                        false,
                        List.of(new QuorumCommand.ConfigEdit(
                                QuorumCommand.ConfigEdit.Kind.SET, RecoveryStrategy.KEY, "aggressive")))),
                false,
                ""));
    }

    @ParameterizedTest
    @CsvSource({
        // topic's strategy, topic's unclean, cluster's strategy, cluster's unclean; mode
        "-, -, -, -, BALANCED",
        "-, -, -, true, AGGRESSIVE",
        "-, -, none, true, ONLINE",
        "-, -, balanced, true, BALANCED",
        "-, -, aggressive, -, AGGRESSIVE",
        "-, true, none, -, AGGRESSIVE",
        "-, false, none, true, ONLINE",
        "-, false, aggressive, true, BALANCED",
        "-, false, -, true, BALANCED",
        "None, true, aggressive, true, ONLINE",
        "AGGRESSIVE, false, none, false, AGGRESSIVE",
        "balanced, true, -, -, BALANCED"
    })
    void strategies(String topic, String topicUnclean, String cluster, String clusterUnclean, String mode) {
        Map<String, String> defaults = new TreeMap<>();
        put(defaults, RecoveryStrategy.KEY, cluster);
        put(defaults, RecoveryStrategy.UNCLEAN_KEY, clusterUnclean);
        TestCluster c = TestCluster.bootstrapped(defaults);
        c.start(1);
        Map<String, String> own = new TreeMap<>();
        put(own, RecoveryStrategy.KEY, topic);
        put(own, RecoveryStrategy.UNCLEAN_KEY, topicUnclean);
        c.createTopic("t", List.of(List.of(1)), own);
        assertThat(RecoveryStrategy.of(c.image, new PartitionId(c.topicId("t"), 0)))
                .isEqualTo(LeaderElection.Mode.valueOf(mode));
    }

    private static void put(Map<String, String> configs, String key, String value) {
        if (!value.equals("-")) {
            configs.put(key, value);
        }
    }
}
