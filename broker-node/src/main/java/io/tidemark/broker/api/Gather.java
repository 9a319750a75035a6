package io.tidemark.broker.api;

import io.tidemark.broker.runtime.PartitionLoop;

/** Counts the parts of a request that are under way on several loops; answers on the connection's when all are done. */
final class Gather {
    private final PartitionLoop home;
    private final Runnable whenAllDone;
    /** Parts under way, and one for the request being taken apart. */
    private int waiting = 1;

    Gather(PartitionLoop home, Runnable whenAllDone) {
        this.home = home;
        this.whenAllDone = whenAllDone;
    }

    /** Home loop: another part goes out. */
    void oneMore() {
        waiting++;
    }

    /** Home loop: one part is done, or the request is taken apart. */
    void oneDone() {
        if (--waiting == 0) {
            whenAllDone.run();
        }
    }

    /** Any loop: runs {@code fill} at home and counts a part as done. */
    void done(Runnable fill) {
        home.execute(() -> {
            fill.run();
            oneDone();
        });
    }
}
