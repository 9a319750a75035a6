package io.tidemark.broker.health;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Whether this broker, as a follower, falls further and further behind: the sum of its lags, looked at every {@link
 * #EVERY_MS}, that has grown at each of the last {@link #LOOKS} looks. Any thread.
 */
public final class LagTrend {
    /** Time between two looks, milliseconds. */
    public static final long EVERY_MS = 10_000;

    private static final int LOOKS = 4;

    private final Deque<Long> lags = new ArrayDeque<>();

    /** @param records by which the logs of this broker are short of what their leaders have told of */
    public synchronized void look(long records) {
        if (lags.size() > LOOKS) {
            lags.removeFirst();
        }
        lags.addLast(records);
    }

    /** A sentence, if so. */
    public synchronized Optional<String> warning() {
        if (lags.size() <= LOOKS) {
            return Optional.empty();
        }
        long last = -1;
        for (long lag : lags) {
            if (lag <= last) {
                return Optional.empty();
            }
            last = lag;
        }
        return Optional.of("this broker's followers fall behind: " + lags.getFirst() + " records were missing "
                + LOOKS * EVERY_MS / 1_000 + " s ago, " + lags.getLast() + " are now");
    }
}
