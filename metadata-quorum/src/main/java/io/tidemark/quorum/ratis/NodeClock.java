package io.tidemark.quorum.ratis;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;

/** The two clocks of a node: one for timestamps that are written, one for deadlines. */
public interface NodeClock {
    NodeClock SYSTEM = new NodeClock() {
        @Override
        public WallTime wall() {
            return new WallTime(System.currentTimeMillis());
        }

        @Override
        public MonoTime mono() {
            return new MonoTime(System.nanoTime() / 1_000_000);
        }
    };

    WallTime wall();

    MonoTime mono();
}
