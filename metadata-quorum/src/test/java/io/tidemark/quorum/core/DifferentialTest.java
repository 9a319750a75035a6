package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Our controller beside Kafka's on random lists of steps. What a failure prints is its seed and the shortest list found
 * that still fails; {@code -Ddifferential.seed=N} runs that one, {@code -Ddifferential.lists=N} more of them.
 */
class DifferentialTest {
    private static final int STEPS = 200;
    private static final int LISTS = Integer.getInteger("differential.lists", 2_000);

    private final Map<String, Integer> explained = new TreeMap<>();
    private final Map<String, Integer> answers = new TreeMap<>();

    private static List<Long> seeds(long seed) {
        Seeded chance = new Seeded(seed);
        List<Long> seeds = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            seeds.add(chance.next());
        }
        return seeds;
    }

    /** The first failure of that list, or null; the steps go to {@code told}. */
    private RuntimeException run(List<Long> seeds, List<Step> told) {
        SideBySide both = new SideBySide(explained, answers);
        for (long seed : seeds) {
            Step step = StepChance.step(seed, both.ours.image);
            told.add(step);
            try {
                both.run(step);
            } catch (RuntimeException e) {
                return e;
            }
        }
        return null;
    }

    @Test
    void bothDecideAlikeButForWhatIsIntended() {
        Long only = Long.getLong("differential.seed");
        for (long seed = only == null ? 0 : only; seed < (only == null ? LISTS : only + 1); seed++) {
            List<Step> told = new ArrayList<>();
            RuntimeException failure = run(seeds(seed), told);
            if (failure != null) {
                fail(shortened(seed, told.size()), failure);
            }
        }
        if (only == null) {
            System.out.println(
                    "compared " + LISTS * STEPS + " steps; intended differences " + explained + "; answers " + answers);
            stepsReachedWhatMatters();
        }
    }

    /** Guards the comparison against becoming one of refusals, and the list of differences against what is never met. */
    private void stepsReachedWhatMatters() {
        assertThat(LISTS * STEPS).isGreaterThanOrEqualTo(100_000);
        assertThat(explained.keySet()).containsAll(IntendedDifferences.names());
        assertThat(answers)
                .containsKeys(
                        "Alter NEW_LEADER_ELECTED",
                        "Alter INELIGIBLE_REPLICA",
                        "Alter INVALID_UPDATE_VERSION",
                        "Alter FENCED_LEADER_EPOCH",
                        "Alter NOT_CONTROLLER",
                        "Alter STALE_BROKER_EPOCH",
                        "Reassign INVALID_REPLICATION_FACTOR",
                        "Reassign NO_REASSIGNMENT_IN_PROGRESS",
                        "Elect PREFERRED_LEADER_NOT_AVAILABLE",
                        "Elect ELIGIBLE_LEADERS_NOT_AVAILABLE",
                        "Register DUPLICATE_BROKER_REGISTRATION",
                        "Register INVALID_REGISTRATION");
        for (String kind :
                List.of("Alter", "Config", "Create", "Elect", "Fence", "Grow", "Heartbeat", "Reassign", "Register")) {
            assertThat(answers.get(kind + " NONE")).as(kind).isGreaterThan(300);
        }
    }

    /** Leaves out what need not be there for it to fail, in ever smaller pieces. */
    private String shortened(long seed, int failedAt) {
        List<Long> seeds = new ArrayList<>(seeds(seed).subList(0, failedAt));
        for (int piece = Math.max(1, seeds.size() / 2); piece >= 1; piece /= 2) {
            for (int from = 0; from + piece <= seeds.size(); ) {
                List<Long> fewer = new ArrayList<>(seeds);
                fewer.subList(from, from + piece).clear();
                List<Step> told = new ArrayList<>();
                if (run(fewer, told) != null) {
                    seeds = new ArrayList<>(fewer.subList(0, told.size()));
                } else {
                    from += piece;
                }
            }
        }
        List<Step> told = new ArrayList<>();
        RuntimeException failure = run(seeds, told);
        StringBuilder text = new StringBuilder("seed " + seed + ":");
        told.forEach(step -> text.append("\n  ").append(step));
        return text.append("\n").append(failure).toString();
    }
}
