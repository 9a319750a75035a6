package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** R4.12 to R4.15 and B14: what fetches tell of a follower, and when it counts as caught up. */
class FollowerProgressTest {
    private static final long LAG = 1000;
    private final FollowerProgress follower = new FollowerProgress(2);
    private final SessionClock clock = new SessionClock();

    private void fetch(long nowMs, long offset, long leaderEnd) {
        clock.fetched(nowMs, 12);
        follower.fetched(offset, 3, leaderEnd, nowMs, clock);
    }

    @Test
    void r4_12_atTheEndItIsCaughtUpNow() {
        fetch(500, 100, 100);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(500);
        assertThat(follower.end()).isEqualTo(100);
        assertThat(follower.logStart()).isEqualTo(3);
        assertThat(follower.brokerEpoch()).isEqualTo(12);
    }

    @Test
    void r4_12_atTheEndOfThePreviousFetchItWasCaughtUpThen() {
        fetch(500, 90, 100);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(FollowerProgress.NEVER);
        fetch(700, 100, 110);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(500);
        fetch(900, 109, 120);
        assertThat(follower.lastCaughtUpMs()).as("109 < 110").isEqualTo(500);
    }

    @Test
    void r4_12_aLateFetchDoesNotTakeItBack() {
        fetch(500, 100, 100);
        follower.fetched(100, 3, 100, 400, clock);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(500);
    }

    /** A session that says those offsets at those times, as incarnation 12. */
    private void says(SessionClock session, long nowMs, long offset) {
        session.fetched(nowMs, 12);
        follower.fetched(offset, 0, 100, nowMs, session);
    }

    @Test
    void r4_10_aFetchHeldUpInAnEarlierSessionCountsOnlyUntilTheOneInUseIsHeard() {
        SessionClock earlier = new SessionClock();
        SessionClock used = new SessionClock();
        says(earlier, 100, 5);
        says(used, 200, 7);
        says(earlier, 300, 5);
        used.fetched(400, 12);
        assertThat(follower.end()).as("it does not name what has not moved").isEqualTo(7);
        assertThat(follower.session()).isSameAs(used);
        assertThat(follower.heardWithin(50, 420)).isTrue();
    }

    @Test
    void r4_10_norDoesOneThatOpensASessionNobodyGoesOnWith() {
        SessionClock used = new SessionClock();
        says(used, 100, 7);
        used.fetched(150, 12);
        for (int i = 0; i < 20; i++) {
            says(new SessionClock(), 200 + i, 3);
        }
        used.fetched(400, 12);
        assertThat(follower.end()).isEqualTo(7);
        says(used, 500, 9);
        assertThat(follower.end()).isEqualTo(9);
    }

    @Test
    void r4_14_aSessionThatIsGoneOnWithMayLowerTheEnd() {
        SessionClock earlier = new SessionClock();
        SessionClock later = new SessionClock();
        says(earlier, 100, 7);
        says(later, 200, 3);
        later.fetched(300, 12);
        assertThat(follower.end()).isEqualTo(3);
    }

    @Test
    void anotherIncarnationStartsAnew() {
        SessionClock earlier = new SessionClock();
        says(earlier, 100, 7);
        SessionClock next = new SessionClock();
        next.fetched(200, 13);
        follower.fetched(3, 0, 100, 200, next);
        earlier.fetched(300, 12);
        assertThat(follower.end()).isEqualTo(3);
        assertThat(follower.brokerEpoch()).isEqualTo(13);
    }

    @Test
    void r4_13_equalityOrTime() {
        fetch(0, 100, 100);
        assertThat(follower.caughtUp(101, LAG, LAG)).isTrue();
        assertThat(follower.caughtUp(101, LAG + 1, LAG)).isFalse();
        assertThat(follower.caughtUp(100, LAG * 100, LAG)).isTrue();
        assertThat(follower.lagDeadlineMs(LAG)).isEqualTo(LAG);
        fetch(10, 102, 102);
        assertThat(follower.caughtUp(101, LAG * 100, LAG))
                .as("equality, not at or above")
                .isFalse();
    }

    @Test
    void r4_14_theEndMayGoDown() {
        fetch(0, 100, 100);
        fetch(1, 60, 100);
        assertThat(follower.end()).isEqualTo(60);
    }

    @Test
    void r4_15_resetForgets() {
        fetch(500, 100, 100);
        follower.reset(true, 900);
        assertThat(follower.end()).isEqualTo(FollowerProgress.UNKNOWN);
        assertThat(follower.logStart()).isEqualTo(FollowerProgress.UNKNOWN);
        assertThat(follower.seen()).isFalse();
        assertThat(follower.lastCaughtUpMs()).isEqualTo(900);
        assertThat(follower.caughtUp(100, 900 + LAG, LAG)).isTrue();
        follower.reset(false, 900);
        assertThat(follower.caughtUp(100, 900, LAG))
                .as("an outsider holds nothing (R3.4)")
                .isFalse();
    }

    @Test
    void r4_15_reElectionKeepsTheEndAndStartsTheTimesAnew() {
        fetch(500, 90, 100);
        follower.reelected(true, 100, 900);
        assertThat(follower.end()).isEqualTo(90);
        assertThat(follower.seen()).isTrue();
        assertThat(follower.brokerEpoch()).isEqualTo(12);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(900);
        follower.reelected(false, 100, 900);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(FollowerProgress.NEVER);
        fetch(950, 100, 110);
        assertThat(follower.caughtUp(110, 950, LAG))
                .as("its previous fetch is not known")
                .isFalse();
    }

    @Test
    void b14_theSessionCountsForAPartitionItDoesNotName() {
        fetch(0, 100, 100);
        clock.fetched(60_000, 12);
        follower.leaderEndMoves(100);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(60_000);
        clock.fetched(70_000, 12);
        follower.leaderEndMoves(105);
        assertThat(follower.lastCaughtUpMs()).as("it was not at 105").isEqualTo(60_000);
    }

    @Test
    void heardWithinAsksTheSession() {
        assertThat(follower.heardWithin(LAG, 0)).isFalse();
        fetch(0, 10, 100);
        assertThat(follower.heardWithin(LAG, LAG)).isTrue();
        assertThat(follower.heardWithin(LAG, LAG + 1)).isFalse();
        clock.fetched(LAG, 12);
        assertThat(follower.heardWithin(LAG, LAG * 2)).isTrue();
    }

    @Test
    void joiningGivesTheLagLimit() {
        fetch(0, 10, 100);
        follower.joined(400);
        assertThat(follower.caughtUp(100, 400 + LAG, LAG)).isTrue();
        follower.joined(300);
        assertThat(follower.lastCaughtUpMs()).isEqualTo(400);
    }
}
