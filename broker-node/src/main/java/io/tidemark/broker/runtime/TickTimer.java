package io.tidemark.broker.runtime;

/** Ticks one partition when its replica next has something to do: one timer at most, moved only to earlier. The loop's. */
final class TickTimer {
    private final PartitionHost host;
    private PartitionLoop.Timer timer;
    private long atMs = Long.MAX_VALUE;

    TickTimer(PartitionHost host) {
        this.host = host;
    }

    /** After anything that may have moved the replica's deadline. */
    void schedule() {
        if (host.failed() || host.replica() == null) {
            return;
        }
        long next = host.replica().nextDeadlineMs(host.loop().now());
        if (next >= atMs || next == Long.MAX_VALUE) {
            return;
        }
        if (timer != null) {
            timer.cancel();
        }
        atMs = next;
        timer = host.loop().at(next, this::due);
    }

    private void due() {
        timer = null;
        atMs = Long.MAX_VALUE;
        host.tick();
    }
}
