package io.tidemark.broker.drill;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * The main job as a drill: write, kill the partition's leader in the middle, go on, read everything back, start the
 * killed broker again and wait until all replicas are in sync.
 */
final class Quickstart {
    private static final int FAILOVER_LIMIT_S = 60;
    private static final int REJOIN_LIMIT_S = 60;

    private final String bootstrap;
    private final TopicPartition partition;
    private final int perSecond;
    private final int seconds;
    private final NodeSwitch nodes;
    private final PrintStream out;
    private final long startNanos = System.nanoTime();

    /**
     * @param perSecond records a second
     * @param seconds of writing before the kill, and again after it
     */
    Quickstart(
            String bootstrap, TopicPartition partition, int perSecond, int seconds, NodeSwitch nodes, PrintStream out) {
        this.bootstrap = bootstrap;
        this.partition = partition;
        this.perSecond = perSecond;
        this.seconds = seconds;
        this.nodes = nodes;
        this.out = out;
    }

    /** Throws DrillException if a step does not come to its end. */
    QuickstartReport run() {
        AckLedger ledger = new AckLedger();
        try (ClusterView cluster = new ClusterView(bootstrap, partition)) {
            cluster.await("a leader with all replicas in sync", FAILOVER_LIMIT_S, PartitionView::isFullyInSync);
            SteadyWriter writer = new SteadyWriter(bootstrap, partition, ledger, perSecond);
            try {
                return run(cluster, writer, ledger);
            } catch (DrillException e) {
                writer.abandon();
                throw e;
            }
        }
    }

    private QuickstartReport run(ClusterView cluster, SteadyWriter writer, AckLedger ledger) {
        writer.start();
        tell("writing " + perSecond + " records/s to " + partition + ", acks=all, idempotent");
        long first = (long) perSecond * seconds;
        await("the first " + first + " acks", () -> ledger.ackedCount() >= first);
        PartitionView before = cluster.look();
        tell("before: " + before);

        int killed = before.leader();
        long ackedBefore = ledger.ackedCount();
        tell("kill -9 of broker " + killed + ", the leader, after " + ackedBefore + " acks");
        long killNanos = System.nanoTime();
        nodes.kill(killed);
        cluster.await("another leader", FAILOVER_LIMIT_S, view -> view.leader() >= 0 && view.leader() != killed);
        long electedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killNanos);
        long more = ledger.ackedCount() + (long) perSecond * seconds;
        await("acks under the new leader", () -> ledger.ackedCount() >= more);
        PartitionView after = cluster.look();
        tell("after:  " + after + " (a new leader was seen " + electedMs + " ms after the kill)");

        writer.finish();
        tell("stopped writing: " + writer.sentCount() + " sent, " + ledger.ackedCount() + " acked, "
                + ledger.failedCount() + " given up; longest time without an ack " + ledger.longestGapMs() + " ms");
        List<ReadRecord> records = ReadBack.all(bootstrap, partition, ledger.end());
        tell("read back " + records.size() + " records from the beginning to the end");

        tell("starting broker " + killed + " again");
        long startedNanos = System.nanoTime();
        nodes.start(killed);
        PartitionView awaited = cluster.await("a full ISR", REJOIN_LIMIT_S, PartitionView::isFullyInSync);
        long rejoinedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
        // A look tells the leader epoch as well; but the broker it asks may hear of the last change a moment later.
        PartitionView looked = cluster.look();
        PartitionView last = looked.isFullyInSync() ? looked : awaited;
        tell("rejoined: " + last + " (all in sync " + rejoinedMs + " ms after the start command)");
        return new QuickstartReport(
                Verdict.of(ledger.acks(), records),
                ledger.failedCount(),
                ledger.longestGapMs(),
                killed,
                electedMs,
                rejoinedMs,
                before,
                after,
                last);
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FAILOVER_LIMIT_S + 2L * seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new DrillException(what + " did not come");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private void tell(String line) {
        out.printf("[%5.1f s] %s%n", (System.nanoTime() - startNanos) / 1e9, line);
        out.flush();
    }
}
