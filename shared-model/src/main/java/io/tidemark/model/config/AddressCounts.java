package io.tidemark.model.config;

import java.util.Map;
import java.util.TreeMap;

/** The form of {@code max.connections.per.ip.overrides}: "host:count,host:count", or nothing. */
public final class AddressCounts {
    private AddressCounts() {}

    /** By host, as it is written; throws IllegalArgumentException that says what form is expected. */
    public static Map<String, Integer> parse(String text) {
        Map<String, Integer> counts = new TreeMap<>();
        if (text.isBlank()) {
            return counts;
        }
        for (String part : text.split(",", -1)) {
            // The last colon: an IPv6 address has others.
            int colon = part.lastIndexOf(':');
            String host = part.substring(0, Math.max(0, colon)).strip();
            int count;
            try {
                count = Integer.parseInt(part.substring(colon + 1).strip());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("expected host:count, separated by commas", e);
            }
            if (host.isEmpty() || count < 0) {
                throw new IllegalArgumentException("expected host:count, separated by commas");
            }
            counts.put(host, count);
        }
        return counts;
    }
}
