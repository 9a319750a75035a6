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

    @Test
    void r4_10_aFetchHeldUpInAnEarlierSessionIsKnownToBeLate() {
        SessionClock earlier = new SessionClock(100);
        SessionClock later = new SessionClock(200);
        earlier.fetched(150, 12);
        later.fetched(250, 12);
        assertThat(follower.heardLaterThan(earlier)).as("nothing heard").isFalse();
        follower.fetched(5, 0, 5, 150, earlier);
        assertThat(follower.heardLaterThan(later)).isFalse();
        follower.fetched(7, 0, 7, 250, later);
        assertThat(follower.heardLaterThan(later)).isFalse();
        assertThat(follower.heardLaterThan(earlier)).isTrue();
        SessionClock ofAnotherIncarnation = new SessionClock(100);
        ofAnotherIncarnation.fetched(260, 13);
        assertThat(follower.heardLaterThan(ofAnotherIncarnation)).isFalse();
        follower.left(later);
        assertThat(follower.heardLaterThan(earlier))
                .as("the later one has left")
                .isFalse();
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
