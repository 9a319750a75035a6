package io.tidemark.broker.drill;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How a quickstart ended; times in milliseconds.
 *
 * @param failed records the producer gave up
 * @param longestGapMs longest time without an acknowledgement
 * @param killed node id
 * @param electedMs from the kill until another leader was seen
 * @param rejoinedMs from the start command until the ISR was full
 */
record QuickstartReport(
        Verdict verdict,
        long failed,
        long longestGapMs,
        int killed,
        long electedMs,
        long rejoinedMs,
        PartitionView before,
        PartitionView after,
        PartitionView rejoined) {

    boolean passed() {
        return verdict.kept();
    }

    /** The verdict in one line. */
    String line() {
        return (passed() ? "PASSED" : "FAILED") + ": " + verdict.acked() + " acked, " + verdict.read() + " read, "
                + verdict.lost() + " lost, "
                + verdict.wrongOffset() + " at another offset, " + verdict.duplicated() + " duplicated, "
                + verdict.outOfOrder()
                + " out of order; longest time without an ack " + longestGapMs + " ms";
    }

    /** One JSON object. */
    String json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("passed", passed());
        fields.put("acked", verdict.acked());
        fields.put("read", verdict.read());
        fields.put("lost", verdict.lost());
        fields.put("wrongOffset", verdict.wrongOffset());
        fields.put("duplicated", verdict.duplicated());
        fields.put("outOfOrder", verdict.outOfOrder());
        fields.put("failedSends", failed);
        fields.put("longestGapMs", longestGapMs);
        fields.put("killedBroker", killed);
        fields.put("newLeaderSeenMs", electedMs);
        fields.put("fullIsrMs", rejoinedMs);
        fields.put("before", fields(before));
        fields.put("after", fields(after));
        fields.put("rejoined", fields(rejoined));
        return json(fields);
    }

    private static Map<String, Object> fields(PartitionView view) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("leader", view.leader());
        fields.put("leaderEpoch", view.leaderEpoch().orElse(-1));
        fields.put("isr", view.isr());
        fields.put("elr", view.elr());
        return fields;
    }

    /** Enough for numbers, booleans, lists and objects; no text needs escaping here. */
    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + json(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(QuickstartReport::json).collect(Collectors.joining(",", "[", "]"));
        }
        return String.valueOf(value);
    }
}
