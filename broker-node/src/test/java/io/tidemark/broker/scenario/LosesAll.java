package io.tidemark.broker.scenario;

import java.util.Random;

/** No chance: what can be lost is lost. */
final class LosesAll extends Random {
    private static final long serialVersionUID = 1;

    @Override
    public boolean nextBoolean() {
        return true;
    }

    @Override
    public int nextInt(int bound) {
        return 0;
    }
}
