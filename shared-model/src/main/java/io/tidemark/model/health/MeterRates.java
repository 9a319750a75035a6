package io.tidemark.model.health;

/**
 * How often per second something that is counted happens: the moving averages over 1, 5 and 15 minutes that Kafka's meters
 * have, exponentially weighted and fed at a fixed pace; and the mean since the first look.
 */
final class MeterRates {
    /** Seconds between two ticks. */
    static final int TICK_S = 5;

    private static final double[] WEIGHTS = {weight(1), weight(5), weight(15)};

    private final long firstCount;
    private final double[] rates = new double[WEIGHTS.length];
    private long lastCount;
    private long ticks;

    MeterRates(long count) {
        firstCount = count;
        lastCount = count;
    }

    private static double weight(int minutes) {
        return 1 - Math.exp(-TICK_S / 60.0 / minutes);
    }

    /** The count {@link #TICK_S} seconds after the last tick. */
    synchronized void tick(long count) {
        double rate = (count - lastCount) / (double) TICK_S;
        for (int i = 0; i < rates.length; i++) {
            rates[i] = ticks == 0 ? rate : rates[i] + WEIGHTS[i] * (rate - rates[i]);
        }
        lastCount = count;
        ticks++;
    }

    synchronized double oneMinute() {
        return rates[0];
    }

    synchronized double fiveMinutes() {
        return rates[1];
    }

    synchronized double fifteenMinutes() {
        return rates[2];
    }

    synchronized double mean() {
        return ticks == 0 ? 0 : (lastCount - firstCount) / (double) (ticks * TICK_S);
    }
}
