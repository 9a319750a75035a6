package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.PartitionStateView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks at the drill's partitions about ten times a second, as a client can: their high watermarks, and who leads and is
 * in sync. Of Kafka that is all there is to see; Tidemark's metadata log tells the changes exactly.
 */
final class Sampler implements AutoCloseable {
    private static final long EVERY_MS = 100;

    private final Admins admins;
    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, TreeMap<Long, Long>> marks = new HashMap<>();
    private final Map<TopicPartition, PartitionStateView> seen = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private final Thread thread = new Thread(this::sample, "sampler");
    private volatile boolean stopping;

    Sampler(String bootstrap, List<TopicPartition> partitions) {
        this.admins = new Admins(bootstrap);
        this.partitions = List.copyOf(partitions);
        partitions.forEach(partition -> marks.put(partition, new TreeMap<>()));
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void sample() {
        List<String> topics =
                partitions.stream().map(TopicPartition::topic).distinct().toList();
        while (!stopping) {
            long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EVERY_MS);
            try {
                admins.look(topics).forEach((partition, view) -> noteView(partition, FaultInjector.state(view)));
                long asked = System.currentTimeMillis();
                admins.highWatermarks(partitions).forEach((partition, mark) -> noteMark(asked, partition, mark));
            } catch (DrillException e) {
                // Nobody answers just now: a gap in the samples says so.
                next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EVERY_MS);
            }
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private synchronized void noteView(TopicPartition partition, PartitionStateView view) {
        PartitionStateView before = seen.put(partition, view);
        if (before == null || before.differsFrom(view) || !before.elr().equals(view.elr())) {
            changes.add(new Change(-1, System.currentTimeMillis(), partition, before, view, "", view.words()));
        }
    }

    private synchronized void noteMark(long timeMs, TopicPartition partition, long mark) {
        marks.get(partition).put(timeMs, mark);
    }

    /** High watermark by wall clock. */
    synchronized TreeMap<Long, Long> marks(TopicPartition partition) {
        return new TreeMap<>(marks.get(partition));
    }

    synchronized List<Change> changes() {
        return List.copyOf(changes);
    }

    @Override
    public void close() {
        stopping = true;
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        admins.close();
    }
}
