package io.tidemark.broker.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far an exploration goes, written as {@code min=2 A=1 LE=2 P=1 ...}; what is not named has its default.
 *
 * <pre>
 *   min   min ISR of the topic                        isr  members of the ISR at the start, the first replica is 1
 *   A     appends, below the min ISR as well          LE   highest leader epoch      PE  highest partition epoch
 *   H     entries that a broker may be told one by one; one that is further behind is told several at once
 *   P     losses of power: any end of the log is lost, the mark too
 *   C     crashes after which nothing is missing and the boot is known to be the same
 *   S     orderly stops     F   fencings of brokers that are up     M   elections of the preferred leader
 *   T     moments at which a leader's followers are silent for longer than the lag limit
 *   L     fetches that are held up and arrive at any later time     B  ISR changes and answers to them on their way
 *   N     changes of the min ISR, to any other value
 *   D     ISR changes that are carried out twice; not 0, the cluster promises nothing (B9 counts on at most once)
 * </pre>
 */
record Bounds(Map<String, Integer> values, List<Integer> isr) {
    private static final Map<String, Integer> DEFAULTS = defaults();
    /** Those that are used up, in the order in which a state counts them. */
    static final List<String> BUDGETS = List.of("A", "P", "C", "S", "F", "M", "T", "L", "D", "N");
    /** What fits into a state's counter. */
    static final int MOST = 7;

    private static Map<String, Integer> defaults() {
        Map<String, Integer> values = new LinkedHashMap<>();
        values.put("min", 2);
        values.put("A", 1);
        values.put("LE", 2);
        values.put("PE", 8);
        values.put("H", 2);
        values.put("P", 1);
        values.put("C", 0);
        values.put("S", 0);
        values.put("F", 1);
        values.put("M", 0);
        values.put("T", 0);
        values.put("L", 0);
        values.put("B", 2);
        values.put("D", 0);
        values.put("N", 0);
        return values;
    }

    static Bounds of(String text) {
        Map<String, Integer> values = new LinkedHashMap<>(DEFAULTS);
        List<Integer> isr = List.of(1, 2, 3);
        for (String word : text.isBlank() ? new String[0] : text.trim().split("\\s+")) {
            String[] pair = word.split("=", 2);
            if (pair.length != 2 || !(pair[0].equals("isr") || DEFAULTS.containsKey(pair[0]))) {
                throw new IllegalArgumentException(
                        "what is the bound " + word + "? There are isr and " + DEFAULTS.keySet());
            }
            if (pair[0].equals("isr")) {
                isr = Arrays.stream(pair[1].split(",")).map(Integer::valueOf).toList();
            } else {
                int value = Integer.parseInt(pair[1]);
                if (value < 0 || (BUDGETS.contains(pair[0]) && value > MOST)) {
                    throw new IllegalArgumentException(word + " is not between 0 and " + MOST);
                }
                values.put(pair[0], value);
            }
        }
        return new Bounds(values, isr);
    }

    int get(String name) {
        return values.get(name);
    }

    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        words.add("isr=" + String.join(",", isr.stream().map(String::valueOf).toList()));
        values.forEach((name, value) -> words.add(name + "=" + value));
        return String.join(" ", words);
    }
}
