package io.tidemark.broker.health;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a follower of what this broker leads falls further and further behind: its lag, looked at every {@link #everyMs},
 * has grown at each of the last {@link #LOOKS} looks. They take half of the time after which a member that is behind leaves
 * the ISR, so that there is something left of it. Any thread.
 */
public final class LagTrend {
    private static final int LOOKS = 4;
    private static final long LEAST_MS = 500;

    private final long everyMs;
    private final Map<Integer, Deque<Long>> lags = new HashMap<>();

    /** @param lagLimitMs {@code replica.lag.time.max.ms} */
    public LagTrend(long lagLimitMs) {
        this.everyMs = Math.max(LEAST_MS, lagLimitMs / (2 * LOOKS));
    }

    /** Time between two looks, milliseconds. */
    public long everyMs() {
        return everyMs;
    }

    /** @param records that each follower has still to fetch, by broker; none for one that keeps up */
    public synchronized void look(Map<Integer, Long> records) {
        lags.keySet().retainAll(records.keySet());
        records.forEach((follower, lag) -> {
            Deque<Long> looks = lags.computeIfAbsent(follower, ignored -> new ArrayDeque<>());
            if (looks.size() > LOOKS) {
                looks.removeFirst();
            }
            looks.addLast(lag);
        });
    }

    /** A sentence for each follower that does. */
    public synchronized List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        lags.forEach((follower, looks) -> {
            if (grows(looks)) {
                warnings.add("broker " + follower + " falls behind as a follower of this broker: " + looks.getFirst()
                        + " records were missing there " + LOOKS * everyMs / 1_000 + " s ago, " + looks.getLast()
                        + " are now");
            }
        });
        return warnings;
    }

    private static boolean grows(Deque<Long> looks) {
        if (looks.size() <= LOOKS) {
            return false;
        }
        long last = -1;
        for (long lag : looks) {
            if (lag <= last) {
                return false;
            }
            last = lag;
        }
        return true;
    }
}
