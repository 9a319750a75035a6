package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When elections are held from time to time (R7.71, R7.72). */
class BalanceScheduleTest {
    private static final BalanceLeaders PREFERRED = new BalanceLeaders(Balance.PREFERRED);
    private static final long INTERVAL = 1_000;

    private final TestCluster c = TestCluster.baseline(3, 2, false);
    private final BalanceSchedule schedule = new BalanceSchedule(INTERVAL, 5 * INTERVAL);

    private List<BalanceLeaders> due(long ms) {
        return schedule.due(c.image, new MonoTime(ms));
    }

    @Test
    void anIntervalAfterTheTermBeganAndThenEveryInterval() {
        assertThat(due(10 * INTERVAL)).as("no term yet").isEmpty();
        schedule.activate(new MonoTime(0));
        c.manyLedByTheSecond(10);
        assertThat(due(INTERVAL - 1)).isEmpty();
        assertThat(due(INTERVAL)).containsExactly(PREFERRED);
        assertThat(due(INTERVAL + BalanceSchedule.AGAIN_MS)).isEmpty();
        c.run(PREFERRED);
        assertThat(due(2 * INTERVAL)).as("nothing to do is no entry").isEmpty();
        schedule.activate(new MonoTime(2 * INTERVAL + 1));
        assertThat(due(3 * INTERVAL)).as("a new term begins anew").isEmpty();
    }

    @Test
    void aFullPassIsFollowedByAnotherSoon() {
        schedule.activate(new MonoTime(0));
        c.manyLedByTheSecond(LeaderBalance.MAX_ELECTIONS + 1);
        assertThat(due(INTERVAL)).containsExactly(PREFERRED);
        c.run(PREFERRED);
        assertThat(due(INTERVAL + BalanceSchedule.AGAIN_MS - 1)).isEmpty();
        assertThat(due(INTERVAL + BalanceSchedule.AGAIN_MS)).containsExactly(PREFERRED);
        c.run(PREFERRED);
        assertThat(due(INTERVAL + 2 * BalanceSchedule.AGAIN_MS)).isEmpty();
    }

    @Test
    void switchedOffNothingIsLookedFor() {
        BalanceSchedule off = new BalanceSchedule(0, 0);
        off.activate(new MonoTime(0));
        c.manyLedByTheSecond(1);
        assertThat(off.due(c.image, new MonoTime(100 * INTERVAL))).isEmpty();
    }
}
