package io.tidemark.broker.health;

import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.health.Page;
import java.util.Map;

/** {@code /livez}: 200 as long as every loop turns. One that does not in time will not come back by itself. */
public final class LoopsAlive implements Page {
    private static final long PATIENCE_MS = 10_000;

    private final Partitions partitions;

    public LoopsAlive(Partitions partitions) {
        this.partitions = partitions;
    }

    @Override
    public Answer answer(Map<String, String> query) {
        try {
            OnLoops.ask(partitions.loops(), loop -> true, PATIENCE_MS);
            return Answer.json(200, Map.of("alive", true));
        } catch (IllegalStateException e) {
            return Answer.json(503, Map.of("alive", false, "problem", String.valueOf(e.getMessage())));
        }
    }
}
