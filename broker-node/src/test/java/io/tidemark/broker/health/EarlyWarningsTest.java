package io.tidemark.broker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.replica.Explanation.Absence;
import io.tidemark.broker.replica.Explanation.Hold;
import io.tidemark.broker.runtime.FetchedFrom;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.PartitionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is worth a warning, and that what is usual is not. */
class EarlyWarningsTest {
    private static final long LAG_MS = 30_000;
    private static final PartitionState STATE =
            PartitionState.created(new PartitionId(new TopicId(1, 1), 0), List.of(1, 2), List.of(1, 2), 1);

    private static Explanation leader(
            Explanation.Mark mark, Explanation.Follower follower, Explanation.Pending pending) {
        return new Explanation(
                1,
                STATE,
                0,
                120,
                100,
                new Explanation.Leadership(0, List.of(1, 2), true, mark, List.of(follower), pending, null),
                null);
    }

    private static Explanation.Follower member(long leavesInMs) {
        return new Explanation.Follower(2, true, true, 100, 16_000, 100, Absence.NONE, leavesInMs, 0);
    }

    private static Explanation.Mark held(long standsForMs) {
        return new Explanation.Mark(Hold.FOLLOWER, standsForMs, List.of(2));
    }

    private static Explanation.Pending pending(long ageMs) {
        return new Explanation.Pending(
                Explanation.Change.SHRINK, List.of(2), List.of(1), "2 lags", ageMs, false, false, -1);
    }

    private static List<List<String>> warnings(Explanation why) {
        PartitionWarnings warnings = new PartitionWarnings(LAG_MS);
        warnings.leader("orders-0", why);
        return warnings.kinds();
    }

    @Test
    void whatLastsIsWarnedOf() {
        List<List<String>> kinds = warnings(leader(held(6_000), member(14_000), pending(5_500)));
        assertThat(kinds.get(0))
                .containsExactly("orders-0: high watermark 100 (20 records above it) has not moved for 6.0 s: held by"
                        + " replica 2 (a member of the ISR, at 100)");
        assertThat(kinds.get(1))
                .singleElement()
                .asString()
                .contains("pending for 5.5 s")
                .contains("without [2]");
        assertThat(kinds.get(2))
                .singleElement()
                .asString()
                .contains("last caught up 16.0 s ago")
                .contains("leaves the ISR in 14.0 s");
    }

    @Test
    void whatHappensForMomentsIsNot() {
        assertThat(warnings(leader(held(4_000), member(20_000), pending(3_000))))
                .allSatisfy(kind -> assertThat(kind).isEmpty());
        assertThat(warnings(leader(new Explanation.Mark(Hold.NOTHING, -1, List.of()), member(Long.MAX_VALUE), null)))
                .allSatisfy(kind -> assertThat(kind).isEmpty());
    }

    @Test
    void whatHoldsMarksIsCounted() {
        Map<String, Number> values = new HashMap<>();
        HeldMarks.put(
                List.of(
                        figures(leader(held(700), member(20_000), pending(300))),
                        figures(leader(new Explanation.Mark(Hold.BELOW_MIN_ISR, 900, List.of()), member(20_000), null)),
                        figures(leader(
                                held(100),
                                new Explanation.Follower(2, false, true, 100, 1, 1, Absence.JOINING, 0, 0),
                                null))),
                metric -> values.put(metric.name().name() + metric.name().tags().values(), metric.value()));
        assertThat(values)
                .containsEntry("HeldHighWatermarks[member]", 1L)
                .containsEntry("HeldHighWatermarks[joiner]", 1L)
                .containsEntry("HeldHighWatermarks[below-min-isr]", 1L)
                .containsEntry("HeldHighWatermarks[reported]", 0L)
                .containsEntry("LongestHeldHighWatermarkMs[]", 900L)
                .containsEntry("PendingIsrChanges[]", 1L)
                .containsEntry("OldestPendingIsrChangeMs[]", 300L);
    }

    private static PartitionFigures figures(Explanation why) {
        return new PartitionFigures(
                new LogName("orders", 0), STATE, true, false, false, 0, 120, 100, 0, 1, 0, 0, 0, 0, why.leadership());
    }

    @Test
    void aLagThatGrowsAtEveryLookIsATrend() {
        LagTrend trend = new LagTrend(LAG_MS);
        assertThat(trend.everyMs()).isEqualTo(3_750);
        for (long lag : List.of(5L, 10L, 20L, 30L)) {
            trend.look(Map.of(2, lag, 3, 7L));
        }
        assertThat(trend.warnings()).as("too few looks").isEmpty();
        trend.look(Map.of(2, 40L, 3, 7L));
        assertThat(trend.warnings())
                .containsExactly("broker 2 falls behind as a follower of this broker: 5 records were missing there 15 s"
                        + " ago, 40 are now");
        trend.look(Map.of(2, 39L));
        assertThat(trend.warnings()).as("it has fetched some").isEmpty();
    }

    @Test
    void oneThatCatchesUpInBetweenIsNoTrend() {
        LagTrend trend = new LagTrend(LAG_MS);
        for (long lag = 0; lag < 4; lag++) {
            trend.look(Map.of(2, lag));
        }
        trend.look(Map.of());
        trend.look(Map.of(2, 10L));
        assertThat(trend.warnings()).isEmpty();
    }

    /** A member of the ISR holds the mark, so its own distance from the mark says nothing of what the leader has beyond it. */
    @Test
    void theLeaderKnowsHowFarAMemberIsBehind() {
        Map<Integer, Long> lags = new HashMap<>();
        FollowerLag.add(leader(held(4_000), member(20_000), null), 3_750, lags);
        assertThat(lags).containsExactly(Map.entry(2, 20L));
        FollowerLag.add(leader(held(4_000), member(20_000), null), 3_750, lags);
        assertThat(lags).as("over all partitions").containsExactly(Map.entry(2, 40L));
    }

    @Test
    void whoHadEverythingOfLateIsNotBehind() {
        Map<Integer, Long> lags = new HashMap<>();
        FollowerLag.add(leader(held(4_000), member(20_000), null), 16_001, lags);
        assertThat(lags).isEmpty();
    }

    @Test
    void whoIsGoneIsNotBehind() {
        Map<Integer, Long> lags = new HashMap<>();
        FollowerLag.add(
                leader(
                        held(4_000),
                        new Explanation.Follower(2, false, false, 100, -1, -1, Absence.NOT_ACTIVE, 0, 0),
                        null),
                3_750,
                lags);
        assertThat(lags).isEmpty();
    }

    @Test
    void theMarginOfTheSessionIsThatOfTheWorstMomentOfLate() {
        SessionWatch watch = new SessionWatch(2_500);
        assertThat(watch.longestGapMs(0)).isEqualTo(-1);
        long now = 1_000_000;
        for (int i = 0; i < 8; i++) {
            watch.answered(now);
            now += 250;
        }
        now += 1_350;
        watch.answered(now);
        assertThat(watch.longestGapMs(now)).isEqualTo(1_600);
        assertThat(watch.marginMs(now)).isEqualTo(900);
        for (int i = 0; i < 4 * 125; i++) {
            now += 250;
            watch.answered(now);
        }
        assertThat(watch.longestGapMs(now)).as("it is forgotten").isEqualTo(250);
        assertThat(watch.longestGapMs(now + 2_000)).as("the present gap counts").isEqualTo(2_000);
        assertThat(watch.silentMs(now + 2_000)).isEqualTo(2_000);
    }

    @Test
    void metadataThatStandsStillIsBehind() {
        MetadataWatch watch = new MetadataWatch();
        watch.told(10, 10, 1_000);
        assertThat(watch.behindMs(10, 9_000)).isZero();
        watch.told(12, 10, 2_000);
        assertThat(watch.behindMs(11, 2_500)).isEqualTo(500);
        watch.told(15, 11, 3_000);
        watch.told(20, 11, 4_000);
        assertThat(watch.behindMs(11, 5_000)).as("since 12 was told").isEqualTo(3_000);
        assertThat(watch.behindMs(12, 5_000)).as("12 is there").isZero();
        watch.told(21, 19, 5_500);
        assertThat(watch.behindMs(19, 6_000))
                .as("it moves, and is late by little")
                .isEqualTo(500);
        watch.told(19, 19, 7_000);
        assertThat(watch.behindMs(19, 8_000)).as("another controller acts").isZero();
    }

    @Test
    void aControllerThatDoesNotSayHowFarItIsIsNotAhead() {
        MetadataWatch watch = new MetadataWatch();
        watch.told(0, 10, 1_000);
        assertThat(watch.behindMs(10, 60_000)).isZero();
    }

    @Test
    void theRateIsThatOfTheLeaderAskedLeast() {
        FetchRates rates = new FetchRates();
        long second = TimeUnit.SECONDS.toNanos(1);
        assertThat(rates.least(List.of(), 0)).isZero();
        assertThat(rates.least(from(100, 10), second)).isZero();
        assertThat(rates.least(from(300, 30), 11 * second)).isEqualTo(2.0);
        assertThat(rates.least(from(301, 31), 12 * second))
                .as("too soon to say more")
                .isEqualTo(2.0);
        assertThat(FetchRates.byLeader(List.of(new FetchedFrom(2, "b", 9, 3, 30), new FetchedFrom(2, "b", 9, 4, 40))))
                .containsExactly(new FetchedFrom(2, "b", 9, 7, 70));
    }

    private static List<FetchedFrom> from(long requestsOfTwo, long requestsOfThree) {
        return List.of(new FetchedFrom(2, "b", 9, requestsOfTwo, 0), new FetchedFrom(3, "c", 9, requestsOfThree, 0));
    }
}
