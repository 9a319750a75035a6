package io.tidemark.model.health;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether a node may be sent work, and what it does otherwise.
 *
 * @param facts for the body of the answer: text, numbers, truth values, lists and maps
 */
public record Readiness(boolean ready, Map<String, Object> facts) {
    /** With that in one word, such as {@code recovering}. */
    public static Readiness of(boolean ready, String state, Map<String, Object> more) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("ready", ready);
        facts.put("state", state);
        facts.putAll(more);
        return new Readiness(ready, facts);
    }
}
