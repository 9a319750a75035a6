package io.tidemark.broker.health;

import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.health.Page;
import java.util.Map;

/**
 * {@code /livez[?within=MS]}: 200 as long as every loop turns within that time, 10 s by default and at most. One that does
 * not turn for 10 s will not come back by itself.
 */
public final class LoopsAlive implements Page {
    private static final long PATIENCE_MS = 10_000;

    private final Partitions partitions;

    public LoopsAlive(Partitions partitions) {
        this.partitions = partitions;
    }

    @Override
    public Answer answer(Map<String, String> query) {
        long patienceMs = PATIENCE_MS;
        if (query.containsKey("within")) {
            try {
                patienceMs = Math.min(PATIENCE_MS, Long.parseLong(query.get("within")));
            } catch (NumberFormatException e) {
                return Answer.text(400, "usage: /livez[?within=MILLISECONDS]\n");
            }
        }
        try {
            OnLoops.ask(partitions.loops(), loop -> true, patienceMs);
            return Answer.json(200, Map.of("alive", true));
        } catch (IllegalStateException e) {
            return Answer.json(503, Map.of("alive", false, "problem", String.valueOf(e.getMessage())));
        }
    }
}
