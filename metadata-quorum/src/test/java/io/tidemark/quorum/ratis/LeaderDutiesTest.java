package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.quorum.core.BalanceSchedule;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the acting controller does by itself, against a real quorum of one. */
class LeaderDutiesTest {
    private static final int LOOKS = 200;

    @TempDir
    private Path folder;

    @Test
    void workThatDoesNotEndIsLookedAtSteadilyAndNotMoreAndMoreOften() {
        List<Long> looks = new CopyOnWriteArrayList<>();
        DecisionMaker neverDone = new ScriptedDecisions() {
            @Override
            public List<QuorumCommand> duties(long term, ClusterImage applied, MonoTime now) {
                looks.add(System.nanoTime());
                return List.of(new QuorumCommand.NoOp());
            }
        };
        try (QuorumHarness quorum = new QuorumHarness(folder, 1, id -> neverDone)) {
            Awaitility.await("looks").atMost(QuorumHarness.PATIENCE).until(() -> looks.size() >= LOOKS);
            assertThat(quorum.failures()).isEmpty();
        }
        // Regular looks and those out of turn are at least so far apart; a slow machine makes it longer only.
        double mostPerMs = 1.0 / LeaderDuties.TICK_MS + 1.0 / BalanceSchedule.AGAIN_MS;
        long tookMs = TimeUnit.NANOSECONDS.toMillis(looks.get(LOOKS - 1) - looks.get(0));
        assertThat(tookMs).isGreaterThan((long) ((LOOKS - 10) / mostPerMs));
    }
}
