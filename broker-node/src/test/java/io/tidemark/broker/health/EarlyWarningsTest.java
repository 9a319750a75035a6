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
        assertThat(kinds.get(1))
                .containsExactly("orders-0: high watermark 100 (20 records above it) has not moved for 6.0 s: held by"
                        + " replica 2 (a member of the ISR, at 100)");
        assertThat(kinds.get(2))
                .singleElement()
                .asString()
                .contains("pending for 5.5 s")
                .contains("without [2]");
        assertThat(kinds.get(3))
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
        LagTrend trend = new LagTrend();
        for (long lag : List.of(5L, 10L, 20L, 30L)) {
            trend.look(lag);
        }
        assertThat(trend.warning()).as("too few looks").isEmpty();
        trend.look(40);
        assertThat(trend.warning())
                .hasValueSatisfying(text -> assertThat(text).contains("5 records were missing 40 s ago, 40 are now"));
        trend.look(39);
        assertThat(trend.warning()).as("it has fetched some").isEmpty();
    }

    @Test
    void noLagIsNoTrend() {
        LagTrend trend = new LagTrend();
        for (int i = 0; i < 10; i++) {
            trend.look(0);
        }
        assertThat(trend.warning()).isEmpty();
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
