package io.tidemark.broker.replica;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Whatever is delayed, repeated, lost or restarted, and whatever ends of logs power losses take: exposed records survive
 * clean elections and lie below every floor, the invariants I1 to I9 and I11 hold, and in the end all logs are the same. That the checker can fail is {@link HistoryCheckerTest}.
 */
class ReplicationPropertyTest {
    @Property(tries = 3000, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void invariantsHoldInEveryHistory(@ForAll long seed) {
        RandomHistory history = new RandomHistory(seed, RandomHistory.Fault.NONE);
        history.run(250);
        history.heal();
    }
}
