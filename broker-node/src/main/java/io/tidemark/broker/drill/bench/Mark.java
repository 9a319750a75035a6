package io.tidemark.broker.drill.bench;

import java.util.Locale;

/** What a figure has to reach. */
record Mark(Kind kind, double limit) {
    /** Nothing is asked; shown because it explains. */
    static final Mark NONE = new Mark(Kind.NONE, 0);
    /** Tidemark's own value, whatever Kafka's is. */
    static final Mark ZERO = new Mark(Kind.ZERO, 0);

    /** What the limit bounds. */
    enum Kind {
        NONE,
        ZERO,
        RATIO_AT_LEAST,
        RATIO_AT_MOST
    }

    static Mark atLeast(double ratio) {
        return new Mark(Kind.RATIO_AT_LEAST, ratio);
    }

    static Mark atMost(double ratio) {
        return new Mark(Kind.RATIO_AT_MOST, ratio);
    }

    /** NaN, for a value that was not measured, reaches nothing. */
    boolean isReached(double tidemark, double kafka) {
        return switch (kind) {
            case NONE -> true;
            case ZERO -> tidemark == 0;
            case RATIO_AT_LEAST -> tidemark / kafka >= limit;
            case RATIO_AT_MOST -> tidemark / kafka <= limit;
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case NONE -> "";
            case ZERO -> "0";
            case RATIO_AT_LEAST -> String.format(Locale.ROOT, ">= %.2f", limit);
            case RATIO_AT_MOST -> String.format(Locale.ROOT, "<= %.2f", limit);
        };
    }
}
