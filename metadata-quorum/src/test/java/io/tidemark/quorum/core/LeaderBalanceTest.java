package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import io.tidemark.quorum.core.TestCluster.Return;
import org.junit.jupiter.api.Test;

/** Elections from time to time (R7.71, R7.72). */
class LeaderBalanceTest {
    private final TestCluster c = TestCluster.baseline(3, 2, false);

    private void balance(Balance kind) {
        c.run(new BalanceLeaders(kind));
    }

    @Test
    void leadershipGoesBackToTheFirstReplicaOnceThatIsInSync() {
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=1 ISR=[2, 3] ELR=[] LKE=[]}");
        balance(Balance.PREFERRED);
        assertThat(c.lastRecords).as("not there").isEmpty();
        c.comeBack(1, Return.CLEAN);
        assertThat(LeaderBalance.wanting(c.image, Balance.PREFERRED)).isZero();
        balance(Balance.PREFERRED);
        assertThat(c.lastRecords).as("not in sync").isEmpty();
        assertThat(c.alter(2, 1, 1, 1, 2, 3)).isEqualTo(ErrorCode.NONE);
        assertThat(LeaderBalance.wanting(c.image, Balance.PREFERRED)).isEqualTo(1);
        balance(Balance.PREFERRED);
        assertThat(c.m()).isEqualTo("M{L=1 LE=2 PE=3 ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(LeaderBalance.wanting(c.image, Balance.PREFERRED)).isZero();
    }

    @Test
    void aPassIsBoundedAndTheNextFindsTheRest() {
        c.manyLedByTheSecond(2_500);
        assertThat(LeaderBalance.wanting(c.image, Balance.PREFERRED)).isEqualTo(LeaderBalance.MAX_ELECTIONS);
        for (int changes : new int[] {1_000, 1_000, 500, 0}) {
            balance(Balance.PREFERRED);
            assertThat(c.lastRecords).hasSize(changes);
        }
    }

    @Test
    void whereNobodyLeadsAndTheTopicAllowsItAnybodyDoes() {
        c.fence(3);
        c.comeBack(3, Return.CLEAN);
        c.fence(1, 2);
        assertThat(c.state().hasLeader()).isFalse();
        assertThat(LeaderBalance.wanting(c.image, Balance.UNCLEAN))
                .as("not allowed")
                .isZero();
        c.setTopicConfig("t", RecoveryStrategy.UNCLEAN_KEY, "true");
        assertThat(LeaderBalance.wanting(c.image, Balance.UNCLEAN)).isEqualTo(1);
        balance(Balance.PREFERRED);
        assertThat(c.lastRecords).isEmpty();
        balance(Balance.UNCLEAN);
        assertThat(c.m()).isEqualTo("M{L=3 LE=2 PE=3 ISR=[3] ELR=[] LKE=[] RECOVERING}");
    }
}
