package io.tidemark.broker.drill.judge;

import java.util.Arrays;

/**
 * How long a partition gave no acks.
 *
 * @param gapMs the longest time from one ack to the next, or to the end of the load
 * @param fromMs wall clock: the last ack before it
 */
public record Availability(long gapMs, long fromMs) {

    /** @param ackMs wall clock, in any order; the load is from {@code startMs} to {@code endMs} */
    public static Availability of(long[] ackMs, long startMs, long endMs) {
        long[] sorted = ackMs.clone();
        Arrays.sort(sorted);
        long last = startMs;
        long gap = 0;
        long from = startMs;
        for (long at : sorted) {
            if (at - last > gap && at >= startMs) {
                gap = at - last;
                from = last;
            }
            last = Math.max(last, at);
        }
        return endMs - last > gap ? new Availability(endMs - last, last) : new Availability(gap, from);
    }

    /** Acks in each slice of {@code sliceMs} from {@code startMs} to {@code endMs}. */
    public static int[] histogram(long[] ackMs, long startMs, long endMs, long sliceMs) {
        int[] counts = new int[(int) Math.max(1, (endMs - startMs + sliceMs - 1) / sliceMs)];
        for (long at : ackMs) {
            int slice = (int) Math.floorDiv(at - startMs, sliceMs);
            if (slice >= 0 && slice < counts.length) {
                counts[slice]++;
            }
        }
        return counts;
    }
}
